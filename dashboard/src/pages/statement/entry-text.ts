import type { StatementEntry } from "./queries.ts";

/** Without its note to the partner. */
export function entryText({ kind, amountCents, ...entry }: StatementEntry): string {
  const sale = `sale ${entry.transactionId ?? ""}`;
  const reference = `reference ${entry.payoutReference ?? ""}`;
  switch (kind) {
    case "earned":
      return `Commission for ${sale}`;
    case "reversed":
      return `Refund of ${sale}`;
    case "restored":
      return `Canceled refund of ${sale}`;
    case "rejected":
      return `Rejected commission for ${sale}`;
    case "moved":
      return amountCents < 0 ? `Moved to another partner: ${sale}` : `Moved from another partner: ${sale}`;
    case "adjusted":
      return amountCents < 0 ? "Write-off" : "Bonus";
    case "paid":
      return `Payment, ${reference}`;
    case "returned":
      return `Returned payment, ${reference}`;
  }
}
