import { testClick, testLead, testSale } from "#api/verification/synthetic-events.ts";
import { type ChainEvent, chainEvents } from "#domain/verification.ts";
import { callLedger } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { body, createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id } from "#http/schema/integers.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { testReply } from "#http/test-mode.ts";
import type { Outcome, TrustedCaller } from "#operations/operation.ts";
import { inputRefusals, memberOfProgramInBody, memberWriteRefusals } from "../guards.ts";

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
    description: "Recorded in test mode, with the code that records real events. It has no partner.",
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
