import { commissionStatuses } from "../../../domain/commission-status.ts";
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
    partnerId: z.int().nullable(),
    partnerCode: z.string().nullable(),
    status: z.enum(commissionStatuses),
    unconfirmed: z
      .boolean()
      .describe(
        "True if only a browser reported the click. A call with the API key or an approval confirms the commission.",
      ),
    amountCents: z.int().describe("Remaining amount in the currency's smallest unit."),
    currency: z.string(),
    holdUntil: z.iso.datetime().nullable(),
    createdAt: z.iso.datetime(),
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
  partnerId: commission.partnerId,
  partnerCode: commission.partnerCode,
  status: commission.status,
  unconfirmed: commission.isUnconfirmed,
  amountCents: commission.amountCents,
  currency: commission.currency,
  holdUntil: timestampOrNull(commission.holdUntil),
  createdAt: timestamp(commission.createdAt),
  inPayout: commission.isInPayout,
  explanation: storedJson(commission.explanation),
});
