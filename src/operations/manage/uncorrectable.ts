import { isCallerId } from "../../domain/caller-id.ts";
import type { Refusal } from "../../domain/refusal.ts";
import type { RecordedSale } from "../../store/sales.ts";

export function whyUncorrectable({ commission }: RecordedSale, nextId: string): Refusal | undefined {
  if (commission.status === "rejected") {
    return { code: "state_conflict", message: "A sale with a rejected commission can't be corrected" };
  }
  // Refunds and explanations accept no longer id.
  if (!isCallerId(nextId)) {
    return { code: "state_conflict", message: "The sale's transaction id is too long to be corrected" };
  }
  return undefined;
}
