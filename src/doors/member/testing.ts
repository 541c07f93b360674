import { readFromDatabase } from "#api/read-database.ts";
import { runChain } from "#api/verification/chain.ts";
import { ChainReply } from "#api/verification/reply.ts";
import { testClick, testLead, testSale } from "#api/verification/synthetic-events.ts";
import { type ChainEvent, chainEvents } from "#domain/verification.ts";
import { callLedger } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { body, createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { parseTimestamp, timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { testReply } from "#http/test-mode.ts";
import type { Outcome, TrustedCaller } from "#operations/operation.ts";
import type { TrackedEvent } from "#store/reports/events.ts";
import { maxCounted, readTestEvents, type TestedKind } from "#store/reports/test-events.ts";
import { clickRecord, leadRecord, saleRecord } from "./events.ts";
import { inputRefusals, memberOfProgramInBody, memberWriteRefusals, programMember } from "./guards.ts";
import { ProgramPath } from "./params.ts";

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

const TestBody = z
  .object({
    program_id: fields.programId("program_id"),
    event_type: fields.optional(fields.oneOf("event_type", chainEvents)).describe("Defaults to `click`."),
  })
  .openapi("TestEventWanted");

const TestReply = z
  .object({
    success: z.literal(true),
    message: z.string(),
    testEvent: z.object({ id: id(), event_type: z.enum(chainEvents), timestamp: z.iso.datetime() }),
  })
  .openapi("TestEventMade");

export const createTestEvent = endpoint({
  route: createRoute({
    method: "post",
    path: "/test",
    operationId: "makeTestEvent",
    tags: ["Dashboard"],
    summary: "Create a test event",
    description: "The event is recorded in test mode, by the same code as real events. It has no partner.",
    ...memberOfProgramInBody("admin", TestBody),
    request: { body: body(TestBody) },
    responses: {
      ...returns("Test event created", TestReply),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "program_paused", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const kind = c.req.valid("json").event_type ?? "click";
    const recorded = await recorders[kind](c, { programId: c.get("program").id, vouched: true });
    if (!recorded.ok) return refuse(c, recorded.refusal);
    if (recorded.answer === undefined) return refuse(c, { code: "program_paused" });
    const { message } = testReply(kind, recorded.answer, c.get("program").id);
    const testEvent = { id: recorded.answer, event_type: kind, timestamp: timestamp(c.get("call").at) };
    return c.json({ success: true as const, message, testEvent }, 200);
  },
});

type Recorded = Outcome<number | undefined>;

const idOf = <Answer>(outcome: Outcome<Answer>, pick: (answer: Answer) => number | undefined): Recorded =>
  outcome.ok ? { ...outcome, answer: pick(outcome.answer) } : outcome;

const recorders: Readonly<Record<ChainEvent, (c: Ctx, key: TrustedCaller) => Promise<Recorded>>> = {
  click: async (c, key) => {
    const call = testClick(c.get("call"), key);
    const outcome = await callLedger(c, key, (ledger) => ledger.run(call));
    return idOf(outcome, (click) => (click.recorded ? click.eventId : undefined));
  },
  lead: async (c, key) => {
    const call = testLead(c.get("call"), key, customerOf(c));
    const outcome = await callLedger(c, key, (ledger) => ledger.run(call));
    return idOf(outcome, (lead) => lead.leadId);
  },
  sale: async (c, key) => {
    const call = testSale(c.get("call"), key, transactionOf(c), customerOf(c));
    const outcome = await callLedger(c, key, (ledger) => ledger.run(call));
    return idOf(outcome, (sale) => sale.saleId);
  },
};

const transactionOf = (c: Ctx): string => `test_sale_${c.get("call").operationId}`;
const customerOf = (c: Ctx): string => `test_customer_${c.get("call").operationId}`;

export const runVerification = endpoint({
  route: createRoute({
    method: "post",
    path: "/run-verification/{programId}",
    operationId: "runProgramVerification",
    tags: ["Dashboard"],
    summary: "Run the verification chain",
    description:
      "Records a click, a lead and a sale in test mode, with the code that records real ones, for a partner that exists only " +
      "for verification. The sale is attributed only if it earns a commission. Limited to 10 runs an hour per program.",
    ...programMember("admin"),
    request: { params: ProgramPath },
    responses: {
      ...returns("Verification result", ChainReply),
      ...refusals([...memberWriteRefusals, "program_archived"]),
    },
  }),
  handler: async (c) => {
    const run = await runChain(c, { programId: c.get("program").id, vouched: true });
    return run.ok ? c.json(run.value, 200) : refuse(c, run.refusal);
  },
});
