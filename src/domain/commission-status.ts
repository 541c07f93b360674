/** Stored statuses of a commission. Payouts don't change them. */
export const commissionStatuses = ["pending", "approved", "reversed", "rejected", "void"] as const;
export type CommissionStatus = (typeof commissionStatuses)[number];

/**
 * Statuses in lists, explanations and files. A commission in a final or paid payout is shown as `approved` or `paid`,
 * whatever its stored status.
 */
export const shownStatuses = ["pending", "approved", "paid", "reversed", "rejected", "void"] as const;
export type ShownStatus = (typeof shownStatuses)[number];

/** A member's decision. */
export type CommissionDecision = "approved" | "rejected";

/** The status of the payout whose line includes a commission. Lines of a draft don't count. */
export type HeldBy = "final" | "paid";

export function shownStatus(own: CommissionStatus, heldBy: HeldBy | null): ShownStatus {
  if (heldBy === null) return own;
  return heldBy === "paid" ? "paid" : "approved";
}

export const approvers = ["hold", "person"] as const;
export type Approver = (typeof approvers)[number];

export const entryKinds = [
  "earned",
  "reversed",
  "restored",
  "rejected",
  "moved",
  "adjusted",
  "paid",
  "returned",
] as const;

/** Names of amounts in the user interface, the same everywhere. */
export const moneyTitles = {
  pending: "On hold",
  payable: "To pay",
  inPayout: "In payout",
  paid: "Paid",
  carried: "To be deducted",
} as const;

/** Names of statuses. `approved` is shown as "To pay", also if an unpaid payout includes the commission. */
export const statusTitles: Readonly<Record<ShownStatus, string>> = {
  pending: moneyTitles.pending,
  approved: moneyTitles.payable,
  paid: moneyTitles.paid,
  reversed: "Reversed",
  rejected: "Rejected",
  void: "No commission",
};
