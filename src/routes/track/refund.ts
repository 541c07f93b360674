import { createRoute } from "@hono/zod-openapi";
import { answer, id, TestData, testAnswer, warnings } from "../../http/answer.ts";
import { callLedger } from "../../http/call-ledger.ts";
import { body, ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { occurredAtOf, refuseFaults } from "../../http/faults.ts";
import { ofAny, ofBody, ofKey, refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import * as wire from "../../http/wire.ts";
import * as z from "../../http/zod.ts";
import type { Call, PresentedKey } from "../../operations/operation.ts";
import type { RefundAnswer, RefundCall, RefundStatus } from "../../operations/record-refund.ts";
import { programKeyAndBody } from "../access.ts";
import { trackingStyle } from "./style.ts";

const noTransaction = "transaction_id is required";
const bothAmounts = "Send refund_amount_cents or refunded_total_cents, not both";

interface Amounts {
  readonly refund_amount_cents?: number | undefined;
  readonly refunded_total_cents?: number | undefined;
}
const isOneAmount = ({ refund_amount_cents: amount, refunded_total_cents: total }: Amounts): boolean =>
  amount === undefined || total === undefined;

const RefundBody = z
  .object({
    transaction_id: wire.callerId("transaction_id", 255, noTransaction).describe("The sale's."),
    refund_amount_cents: wire
      .optional(wire.amountCents("refund_amount_cents"))
      .describe("Without it, all that is left is refunded."),
    refund_id: wire
      .optional(wire.callerId("refund_id"))
      .describe("Your own id of this refund. Without one, a partial refund counts again each time it is sent."),
    refunded_total_cents: wire
      .optional(wire.amountCents("refunded_total_cents"))
      .describe("Instead of an amount: what has been refunded of this sale up to now."),
    refund_reason: wire.optionalText(wire.text("refund_reason")),
    occurred_at: wire.optional(wire.occurredAt()),
    additional_data: wire.optional(wire.additionalData()),
  })
  .refine(...wire.rule(["refunded_total_cents"], bothAmounts, isOneAmount))
  .openapi("Refund");
type RefundBody = z.output<typeof RefundBody>;

const RefundReply = z
  .object({
    success: z.literal(true),
    message: z.string(),
    data: TestData.optional(),
    sale_id: id("The sale."),
    commission_id: id("Its commission."),
    status: z.enum(["refunded", "reversed", "no_commission", "skipped"]),
    reason: z.string().optional().describe("Why it was skipped."),
    refund_id: z.string().nullable(),
    refunded_cents: z.int().describe("By this refund."),
    refunded_total_cents: z.int().describe("Of this sale up to now."),
    commission_reversed_cents: z.int().describe("By this refund."),
    commission_amount_cents: z.int().describe("What is left of the commission."),
    ...warnings,
  })
  .openapi("RefundRecorded");

export const refund = endpoint({
  route: createRoute({
    method: "post",
    path: "/refund",
    operationId: "trackRefund",
    tags: ["Tracking"],
    summary: "Record a refund and reverse its share of the commission",
    description: "Partial refunds that add up to the sale reverse the commission to exactly 0.",
    ...programKeyAndBody(),
    request: { body: body(RefundBody) },
    responses: {
      ...ok("Recorded, or there was nothing to do", RefundReply),
      ...refusals(trackingStyle("Refund"), [
        ...(["missing_key", ...ofKey, ...ofBody] as const),
        ...(["sale_not_found", "refund_exceeds_sale", "refund_conflict"] as const),
        ...ofAny,
      ]),
    },
  }),
  hook: refuseFaults(RefundBody),
  handler: async (c) => {
    const refund = refundCall(c.req.valid("json"), c.var.call, c.var.key);
    const outcome = await callLedger(c, refund.key, (ledger) => ledger.recordRefund(refund));
    return outcome.ok ? answer(c, refundReply(outcome.answer, refund.isTest)) : refuse(c, outcome.refusal);
  },
});

const refundCall = (body: RefundBody, call: Call, key: PresentedKey): RefundCall => ({
  ...call,
  kind: "refund",
  isTest: wire.isTest(body),
  key,
  transactionId: body.transaction_id,
  amountCents: body.refund_amount_cents,
  totalCents: body.refunded_total_cents,
  refundId: body.refund_id,
  reason: body.refund_reason,
  occurredAt: occurredAtOf(body.occurred_at, call.at),
});

const messages: Readonly<Record<RefundStatus, string>> = {
  refunded: "Commission reduced",
  reversed: "Commission reversed",
  no_commission: "Sale has no commission to reverse",
  skipped: "Refund skipped",
};

const refundReply = (refund: RefundAnswer, isTest: boolean): z.output<typeof RefundReply> => ({
  success: true,
  message: messages[refund.status],
  ...(isTest && testAnswer("refund", refund.eventId, refund.programId)),
  sale_id: refund.saleId,
  commission_id: refund.commissionId,
  status: refund.status,
  reason: refund.skipped,
  refund_id: refund.refundId ?? null,
  refunded_cents: refund.refundedCents,
  refunded_total_cents: refund.refundedTotalCents,
  commission_reversed_cents: refund.commissionReversedCents,
  commission_amount_cents: refund.commissionAmountCents,
});
