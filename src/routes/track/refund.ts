import { placeholderIn } from "#domain/caller-id.ts";
import { type RefundStatus, refundStatuses } from "#domain/refund-status.ts";
import { programKeyRequired } from "#doors/key/guards.ts";
import { callLedger } from "#http/call-ledger.ts";
import { trackingStyle } from "#http/refusal/tracking-style.ts";
import { reply, warnings } from "#http/reply.ts";
import * as fields from "#http/schema/fields.ts";
import { id, int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { TestData, testReply } from "#http/test-mode.ts";
import {
  body,
  bodyRefusals,
  commonRefusals,
  createRoute,
  endpoint,
  keyRefusals,
  refusals,
  refuse,
  returns,
  withJsonBody,
} from "#http/tracking-endpoint.ts";
import type { Call, PresentedKey } from "#operations/operation.ts";
import type { RefundAnswer, RefundCall } from "#operations/track/refund.ts";

const noTransaction = "transaction_id is required";
const bothAmounts = "Send refund_amount_cents or refunded_total_cents, not both";
const cancelNeedsId = "refund_id is required with cancel";
const cancelWithAmount = "Send cancel with refunded_total_cents or without an amount";
const totalAboveZero = "refunded_total_cents must be a positive integer";

interface Amounts {
  readonly refund_id: string | null;
  readonly refund_amount_cents: number | null;
  readonly refunded_total_cents: number | null;
  readonly cancel: boolean | null;
}
const isOneAmount = ({ cancel, refund_amount_cents: amount, refunded_total_cents: total }: Amounts): boolean =>
  cancel === true || amount === null || total === null;
const hasCanceledId = ({ cancel, refund_id: id }: Amounts): boolean => cancel !== true || id !== null;
const cancelsWithoutAmount = ({ cancel, refund_amount_cents: amount }: Amounts): boolean =>
  cancel !== true || amount === null;
/** A total of 0 is valid only with `cancel`: it means that every refund was canceled. */
const isTotalAboveZero = ({ cancel, refunded_total_cents: total }: Amounts): boolean => cancel === true || total !== 0;

const RefundBody = z
  .object({
    transaction_id: fields.callerId("transaction_id", 255, noTransaction).describe("The `transaction_id` of the sale."),
    refund_amount_cents: fields
      .optional(fields.amountCents("refund_amount_cents"))
      .describe("Amount refunded. Without an amount or a total, the whole remaining amount is refunded."),
    refund_id: fields
      .optional(fields.callerId("refund_id"))
      .describe("Your id for this refund. A partial refund without one counts again each time it is sent."),
    refunded_total_cents: fields
      .optional(fields.totalCents("refunded_total_cents"))
      .describe(
        "Alternative to `refund_amount_cents`: the running total of this `refund_id`, or of the whole sale without one. " +
          "0 is allowed only with `cancel`.",
      ),
    charge_total_cents: fields
      .optional(fields.amountCents("charge_total_cents"))
      .describe(
        "Total charged for the whole sale. Send it if refunds are in a different unit from the reported sale (the sale was " +
          "reported net of tax or in another currency), and use the same value in every refund of the sale.",
      ),
    cancel: fields
      .optional(fields.flag("cancel"))
      .describe(
        "True if the refund with this `refund_id` failed or a dispute was won. With `refunded_total_cents`, the total of this `refund_id` falls to that value; without it, the whole refund is canceled.",
      ),
    refund_reason: fields.optionalText(fields.text("refund_reason")),
    occurred_at: fields.optional(fields.occurredAt()),
    additional_data: fields.optional(fields.additionalData()),
  })
  .refine(...fields.rule(["refund_amount_cents"], cancelWithAmount, cancelsWithoutAmount))
  .refine(...fields.rule(["refund_id"], cancelNeedsId, hasCanceledId))
  .refine(...fields.rule(["refunded_total_cents"], bothAmounts, isOneAmount))
  .refine(...fields.rule(["refunded_total_cents"], totalAboveZero, isTotalAboveZero))
  .openapi("Refund");
type RefundBody = z.output<typeof RefundBody>;

const RefundReply = z
  .object({
    success: z.literal(true),
    message: z.string(),
    data: TestData.optional(),
    sale_id: id().describe("Id of the sale."),
    commission_id: id().describe("Id of the sale's commission."),
    status: z.enum(refundStatuses),
    reason: z.string().optional().describe("Reason why the refund was skipped or restored nothing."),
    refund_id: z.string().nullable(),
    refunded_cents: int64().describe(
      "Amount refunded by this call, in the unit of the sale's `amount_cents`. Negative if a refund was canceled.",
    ),
    refunded_total_cents: int64().describe("Total refunded of this sale so far."),
    commission_reversed_cents: int64().describe(
      "Commission reversed by this call. Negative if commission was restored.",
    ),
    commission_amount_cents: int64().describe("Remaining commission."),
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
    ...withJsonBody(programKeyRequired("sale", "track")),
    request: { body: body(RefundBody) },
    responses: {
      ...returns("Refund recorded, or nothing to do", RefundReply),
      ...refusals(
        [
          "missing_key",
          ...keyRefusals,
          ...bodyRefusals,
          "placeholder_id",
          "sale_not_found",
          "refund_exceeds_sale",
          "refund_conflict",
          "too_many_refunds",
          ...commonRefusals,
        ],
        trackingStyle("Refund"),
      ),
    },
  }),
  handler: async (c) => {
    const refund = refundCall(c.req.valid("json"), c.get("call"), c.get("key"));
    const outcome = await callLedger(c, refund.key, (ledger) => ledger.run(refund));
    if (!outcome.ok) return refuse(c, outcome.refusal);
    const { reason = null } = outcome.answer;
    c.get("log").noted = { outcome: reason === "duplicate refund_id" ? "duplicate" : "recorded", code: reason };
    return reply(c, refundReply(outcome.answer, refund.isTest));
  },
});

const refundCall = (body: RefundBody, call: Call, key: PresentedKey): RefundCall => ({
  ...call,
  kind: "refund",
  isTest: fields.isTest(body),
  key,
  transactionId: body.transaction_id,
  refundId: body.refund_id,
  placeholder: placeholderIn({ refund_id: body.refund_id }),
  asked: askedOf(body),
  cents: body.refund_amount_cents ?? body.refunded_total_cents,
  chargeTotalCents: body.charge_total_cents,
  reason: body.refund_reason,
  occurredAt: fields.occurredAtOf(body.occurred_at, call.at),
  sentOccurredAt: body.occurred_at !== null,
});

function askedOf({ cancel, refund_amount_cents: amount, refunded_total_cents: total }: Amounts): RefundCall["asked"] {
  if (cancel === true) return total === null ? "cancel" : "cancel_total";
  if (amount !== null) return "amount";
  return total === null ? "rest" : "total";
}

const messages: Readonly<Record<RefundStatus, string>> = {
  refunded: "Commission reduced",
  reversed: "Commission reversed",
  no_commission: "Sale has no commission to reverse",
  restored: "Refund canceled",
  skipped: "Refund skipped",
};
const unknownCanceled = "No refund with this refund_id yet. It will be ignored when it arrives.";

const refundReply = (refund: RefundAnswer, isTest: boolean): z.output<typeof RefundReply> => ({
  success: true,
  message: refund.isUnknown ? unknownCanceled : messages[refund.status],
  ...(isTest && testReply("refund", refund.eventId, refund.programId)),
  sale_id: refund.saleId,
  commission_id: refund.commissionId,
  status: refund.status,
  reason: refund.reason,
  refund_id: refund.refundId,
  refunded_cents: refund.refundedCents,
  refunded_total_cents: refund.refundedTotalCents,
  commission_reversed_cents: refund.commissionReversedCents,
  commission_amount_cents: refund.commissionAmountCents,
});
