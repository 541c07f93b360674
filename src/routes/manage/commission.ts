import { instant, instantOrNull } from "../../http/instant.ts";
import * as z from "../../http/zod.ts";
import type { ShownCommission } from "../../store/commissions.ts";
import { Frozen, frozen } from "./frozen.ts";

export const commissionStatuses = ["pending", "approved", "paid", "reversed", "rejected", "void"] as const;

export const CommissionReply = z
  .object({
    id: z.int(),
    saleId: z.int(),
    transactionId: z.string(),
    customerKey: z.string().nullable(),
    partnerId: z.int().nullable(),
    partnerCode: z.string().nullable(),
    status: z.enum(commissionStatuses),
    unconfirmed: z.boolean().describe("Rests on a browser's word alone, and waits for a keyed call or an approval."),
    amountCents: z.int().describe("What is left of it, in the currency's smallest unit."),
    currency: z.string(),
    holdUntil: z.iso.datetime().nullable(),
    createdAt: z.iso.datetime(),
    explanation: Frozen.describe("Why it is what it is, as it was decided."),
  })
  .openapi("CommissionRecord");

export type CommissionReply = z.output<typeof CommissionReply>;

export const commissionReply = (commission: ShownCommission): CommissionReply => ({
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
  holdUntil: instantOrNull(commission.holdUntil),
  createdAt: instant(commission.createdAt),
  explanation: frozen(commission.explanation),
});
