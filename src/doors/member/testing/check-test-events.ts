import { readFromDatabase } from "#api/read-database.ts";
import { chainEvents } from "#domain/verification.ts";
import { body, createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { parseTimestamp, timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { TrackedEvent } from "#store/reports/events.ts";
import { maxCounted, readTestEvents, type TestedKind } from "#store/reports/test-events.ts";
import { inputRefusals, memberOfProgramInBody, memberWriteRefusals } from "../guards.ts";
import { clickRecord, leadRecord, saleRecord } from "../reports/event-record.ts";

const steps = ["pageview", "referrals", "payments"] as const;
const kindsOf: Readonly<Record<(typeof steps)[number], readonly TestedKind[]>> = {
  pageview: ["click"],
  referrals: ["lead"],
  payments: ["sale"],
};
const maxListed = 25;

const invalidSince = "since must be an ISO 8601 date and time with an offset";

const CheckBody = z
  .object({
    program_id: fields.programId("program_id"),
    step_id: fields.optional(fields.oneOf("step_id", steps)).describe("Limits the result to events of this step."),
    since: fields
      .optional(
        z
          .string(invalidSince)
          .refine((text) => parseTimestamp(text) !== undefined, invalidSince)
          .openapi({ format: "date-time", example: "2026-03-01T12:00:00Z" }),
      )
      .describe("Limits the result to events from this time on."),
  })
  .openapi("TestEventsWanted");

const CheckReply = z
  .object({
    success: z.literal(true),
    data: z.object({
      hasTestEvents: z.boolean(),
      eventCount: int64().describe(`Number of test events, counting at most ${maxCounted} of each type.`),
      eventsByType: z
        .object({
          click: z.array(clickRecord.schema),
          lead: z.array(leadRecord.schema),
          sale: z.array(saleRecord.schema),
        })
        .describe(`The newest ${maxListed} events of each type.`),
      latestTestEvent: z.object({ id: id(), event_type: z.enum(chainEvents), timestamp: z.iso.datetime() }).nullable(),
      programId: id(),
      stepId: z.enum(steps).nullable(),
    }),
  })
  .openapi("TestEvents");

export const checkTestEvents = endpoint({
  route: createRoute({
    method: "post",
    path: "/check-test-events",
    operationId: "checkTestEvents",
    tags: ["Dashboard"],
    summary: "Check test events",
    description: "Events created by verification are not included.",
    ...memberOfProgramInBody("viewer", CheckBody),
    request: { body: body(CheckBody) },
    responses: {
      ...returns("Test events", CheckReply),
      ...refusals([...memberWriteRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const { step_id: step, since } = c.req.valid("json");
    const programId = c.get("program").id;
    const filter = {
      programId,
      kinds: step === null ? steps.flatMap((each) => kindsOf[each]) : kindsOf[step],
      since: (since === null ? undefined : parseTimestamp(since)) ?? 0,
      limit: maxListed,
    };
    const found = await readFromDatabase(c, "program", (database) => readTestEvents(database, filter));
    if (!found.ok) return refuse(c, found.refusal);

    const { count, events } = found.value;
    const data = {
      hasTestEvents: count > 0,
      eventCount: count,
      eventsByType: byType(events),
      latestTestEvent: latestOf(events),
      programId,
      stepId: step,
    };
    return c.json({ success: true as const, data }, 200);
  },
});

const byType = (events: readonly TrackedEvent[]) => ({
  click: events.flatMap((event) => (event.kind === "click" ? [clickRecord.reply(event)] : [])),
  lead: events.flatMap((event) => (event.kind === "lead" ? [leadRecord.reply(event)] : [])),
  sale: events.flatMap((event) => (event.kind === "sale" ? [saleRecord.reply(event)] : [])),
});

function latestOf([newest]: readonly TrackedEvent[]) {
  if (newest === undefined || newest.kind === "refund") return null;
  return { id: newest.id, event_type: newest.kind, timestamp: timestamp(newest.occurredAt) };
}
