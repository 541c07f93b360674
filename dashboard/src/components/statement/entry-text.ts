import type { Statement } from "../../api/types.ts";

export type StatementEntry = Statement["data"]["entries"][number];

/** The note of an entry, without a beginning that repeats the entry's text, such as "Bonus: ". */
export function noteText(entry: StatementEntry): string | null {
  const start = `${entryText(entry)}: `;
  return entry.partnerNote?.startsWith(start) ? entry.partnerNote.slice(start.length) : entry.partnerNote;
}

/** The text of a statement's entry, without the note; it ends with the reference of its commission or payout. */
export function entryText({ kind, corrected, amountCents, ref, payoutReference }: StatementEntry): string {
  const commission = `commission ${ref ?? ""}`;
  switch (kind) {
    case "earned":
      return `Earned, ${commission}`;
    case "reversed":
      return `${corrected ? "Sale corrected" : "Refund"}, ${commission}`;
    case "restored":
      return `Canceled refund, ${commission}`;
    case "rejected":
      return `Declined, ${commission}`;
    case "moved":
      return amountCents < 0 ? `Credited to another partner, ${commission}` : `Credited to you, ${commission}`;
    case "adjusted":
      return amountCents < 0 ? "Deduction" : "Bonus";
    case "paid":
      return `Payment, reference ${payoutReference ?? ""}`;
    case "returned":
      return `Returned payment, reference ${payoutReference ?? ""}`;
  }
}
