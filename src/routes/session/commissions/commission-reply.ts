import { shownStatuses } from "../../../domain/commission-status.ts";
import { timestamp, timestampOrNull } from "../../../http/schema/timestamp.ts";
import * as z from "../../../http/schema/zod.ts";
import type { CommissionView } from "../../../store/views/commissions.ts";
import { StoredJson, storedJson } from "../stored-json.ts";

export const CommissionReply = z
  .object({
    id: z.int(),
    saleId: z.int(),
    transactionId: z.string(),
    customerKey: z.string().nullable(),
    saleDate: z.string().describe("Day of the sale in the program's time zone, fixed when it was recorded."),
    soldAt: z.iso.datetime(),
    saleAmountCents: z.int().describe("Amount of the sale before refunds, in the currency's smallest unit."),
    saleRefundedCents: z.int(),
    partnerId: z.int().nullable(),
    partnerCode: z.string().nullable(),
    partnerName: z.string().nullable(),
    status: z.enum(shownStatuses),
    reason: z.string().nullable().describe("Reason that a `void` commission pays nothing. Null for any other."),
    unconfirmed: z
      .boolean()
      .describe(
        "True if only a browser reported the click. A call with the API key or an approval confirms the commission.",
      ),
    rateBps: z
      .int()
      .nullable()
      .describe("Rate of the policy in hundredths of a percent. Null for a fixed amount, and without a policy."),
    initialCents: z.int().describe("Amount before refunds and a rejection."),
    amountCents: z.int().describe("Remaining amount in the currency's smallest unit."),
    currency: z.string(),
    holdUntil: z.iso.datetime().nullable(),
    approvedAt: z.iso.datetime().nullable(),
    createdAt: z.iso.datetime().describe("Time at which the sale was received."),
    inPayout: z
      .boolean()
      .describe("True while a payout that isn't paid yet has reserved the commission. It can't be rejected then."),
    explanation: StoredJson.describe(
      "The evidence, terms and arithmetic behind the commission, as they were when it was decided.",
    ),
  })
  .openapi("CommissionRecord");

export type CommissionReply = z.output<typeof CommissionReply>;

export const commissionReply = (commission: CommissionView): CommissionReply => ({
  id: commission.id,
  saleId: commission.saleId,
  transactionId: commission.transactionId,
  customerKey: commission.customerKey,
  saleDate: commission.saleDay,
  soldAt: timestamp(commission.soldAt),
  saleAmountCents: commission.saleCents,
  saleRefundedCents: commission.refundedCents,
  partnerId: commission.partnerId,
  partnerCode: commission.partnerCode,
  partnerName: commission.partnerName,
  status: commission.status,
  reason: commission.reason,
  unconfirmed: commission.isUnconfirmed,
  rateBps: commission.rateBps,
  initialCents: commission.initialCents,
  amountCents: commission.amountCents,
  currency: commission.currency,
  holdUntil: timestampOrNull(commission.holdUntil),
  approvedAt: timestampOrNull(commission.approvedAt),
  createdAt: timestamp(commission.createdAt),
  inPayout: commission.isInPayout,
  explanation: storedJson(commission.explanation),
});
