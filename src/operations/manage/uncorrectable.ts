import { isCallerId } from "#domain/caller-id.ts";
import type { Refusal } from "#domain/refusal.ts";
import type { RecordedSale } from "#store/sales.ts";

export function whyUncorrectable({ commission }: RecordedSale, nextId: string): Refusal | undefined {
  if (commission.status === "rejected") return { code: "sale_rejected" };
  // The corrected sale's new transaction id would be longer than refunds and explanations accept.
  return isCallerId(nextId) ? undefined : { code: "transaction_id_too_long" };
}
