import type { StatementEntry } from "./queries.ts";

const withReason = (text: string, reason: string | null): string => (reason === null ? text : `${text}: ${reason}`);

export function entryText(entry: StatementEntry): string {
  const { kind, amountCents, reason } = entry;
  const order = `order ${entry.transactionId ?? ""}`;
  const payout = `payout ${entry.payoutReference ?? ""}`;
  switch (kind) {
    case "earned":
      return `Commission for ${order}`;
    case "reversed":
      return withReason(`Refund of ${order}`, reason);
    case "restored":
      return `Canceled refund of ${order}`;
    case "rejected":
      return withReason(`Rejected commission for ${order}`, reason);
    case "moved":
      return amountCents < 0 ? `Moved to another partner: ${order}` : `Moved from another partner: ${order}`;
    case "adjusted":
      return `Adjustment ${entry.reference ?? ""}: ${reason ?? ""}`;
    case "paid":
      return `Payment, ${payout}`;
    case "returned":
      return withReason(`Returned payment, ${payout}`, reason);
  }
}
