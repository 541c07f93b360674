import type { Explanation } from "../../api/types.ts";
import type { Decidable } from "../commissions/decide.ts";

/**
 * The explained commission in the form that the decision dialogs take. Undefined without a commission or its amount.
 */
export function decidableOf({ commission, correctedBy, verdict, events, missing }: Explanation): Decidable | undefined {
  if (commission === null || verdict.commissionCents === null || verdict.currency === null) return undefined;
  const sale = events.find((event) => event.type === "sale");
  return {
    id: commission.id,
    transactionId: sale?.transactionId ?? `Commission ${commission.id}`,
    status: commission.status,
    unconfirmed: missing.some(({ code }) => code === "unconfirmed"),
    held: missing.some(({ code }) => code === "under_review"),
    inPayout: commission.entries.some(({ payout }) => payout?.state === "reserved"),
    corrected: correctedBy !== null,
    amountCents: verdict.commissionCents,
    currency: verdict.currency,
    approvedBy: commission.decision?.status === "approved" ? "person" : null,
    partnerName: verdict.partnerCode && `Partner ${verdict.partnerCode}`,
  };
}
