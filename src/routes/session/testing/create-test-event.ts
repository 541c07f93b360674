import { createRoute } from "@hono/zod-openapi";
import { type ChainEvent, chainEvents } from "../../../domain/verification.ts";
import { callLedger } from "../../../http/call-ledger.ts";
import { body, ok } from "../../../http/content.ts";
import type { Ctx } from "../../../http/context.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { refuse } from "../../../http/refusal/refuse.ts";
import { refusals } from "../../../http/refusal/responses.ts";
import { inputRefusals, memberRefusals, sessionRefusals, writeRefusals } from "../../../http/refusal/session-codes.ts";
import { refuseInvalid } from "../../../http/refusal/validation.ts";
import { testAnswer, testTransactionId } from "../../../http/reply.ts";
import * as wire from "../../../http/schema/fields.ts";
import { oneOf } from "../../../http/schema/form-fields.ts";
import { timestamp } from "../../../http/schema/timestamp.ts";
import * as z from "../../../http/schema/zod.ts";
import type { Outcome, TrustedCaller } from "../../../operations/operation.ts";
import { testClick, testLead, testSale } from "../../verification/synthetic-events.ts";
import { memberOfProgramInBody } from "../guards.ts";

const TestBody = z
  .object({
    program_id: wire.programId("program_id"),
    event_type: wire.optional(oneOf("event_type", chainEvents)).describe("Defaults to `click`."),
  })
  .openapi("TestEventWanted");

const TestReply = z
  .object({
    success: z.literal(true),
    message: z.string(),
    testEvent: z.object({ id: z.int(), event_type: z.enum(chainEvents), timestamp: z.iso.datetime() }),
  })
  .openapi("TestEventMade");

const paused = { code: "state_conflict", message: "The program is paused and records no clicks" } as const;

export const test = endpoint({
  route: createRoute({
    method: "post",
    path: "/test",
    operationId: "makeTestEvent",
    tags: ["Dashboard"],
    summary: "Create a test event",
    description: "Recorded in test mode, with the code that records real events. It has no partner.",
    ...memberOfProgramInBody("admin", TestBody),
    request: { body: body(TestBody) },
    responses: {
      ...ok("Test event created", TestReply),
      ...refusals(undefined, [
        ...writeRefusals,
        ...memberRefusals,
        ...inputRefusals,
        "state_conflict",
        "program_archived",
        ...sessionRefusals,
      ]),
    },
  }),
  hook: refuseInvalid(TestBody),
  handler: async (c) => {
    const { event_type: kind = "click" } = c.req.valid("json");
    const made = await makers[kind](c, { programId: c.get("program").id, vouched: true });
    if (!made.ok) return refuse(c, made.refusal);
    if (made.answer === undefined) return refuse(c, paused);
    const { message } = testAnswer(kind, made.answer, c.get("program").id);
    const testEvent = { id: made.answer, event_type: kind, timestamp: timestamp(c.get("call").at) };
    return c.json({ success: true as const, message, testEvent }, 200);
  },
});

type Made = Outcome<number | undefined>;

const idOf = <Answer>(outcome: Outcome<Answer>, pick: (answer: Answer) => number | undefined): Made =>
  outcome.ok ? { ...outcome, answer: pick(outcome.answer) } : outcome;

/** Each makes one, and gives its id; undefined where nothing was recorded. */
const makers: Readonly<Record<ChainEvent, (c: Ctx, key: TrustedCaller) => Promise<Made>>> = {
  click: async (c, key) => {
    const call = testClick(c.get("call"), key);
    const outcome = await callLedger(c, key, (ledger) => ledger.recordClick(call));
    return idOf(outcome, (click) => (click.recorded ? click.eventId : undefined));
  },
  lead: async (c, key) => {
    const call = testLead(c.get("call"), key, customerOf(c));
    const outcome = await callLedger(c, key, (ledger) => ledger.recordLead(call));
    return idOf(outcome, (lead) => lead.leadId);
  },
  sale: async (c, key) => {
    const call = testSale(c.get("call"), key, testTransactionId(c.get("call")), customerOf(c));
    const outcome = await callLedger(c, key, (ledger) => ledger.recordSale(call));
    return idOf(outcome, (sale) => sale.saleId);
  },
};

const customerOf = (c: Ctx): string => `test_customer_${c.get("call").operationId}`;
