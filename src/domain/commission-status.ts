/** A commission's own statuses, which no payout changes. */
export const commissionStatuses = ["pending", "approved", "reversed", "rejected", "void"] as const;
export type CommissionStatus = (typeof commissionStatuses)[number];

/** Statuses in lists, explanations and files: a commission in a payout keeps the status with which it was included. */
export const shownStatuses = ["pending", "approved", "paid", "reversed", "rejected", "void"] as const;
export type ShownStatus = (typeof shownStatuses)[number];

/** A member's decision. */
export type CommissionDecision = "approved" | "rejected";

/** The payout whose line holds a commission. A draft holds none. */
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

/** Display names of money, the same everywhere. */
export const moneyTitles = {
  pending: "On hold",
  payable: "To pay",
  inPayout: "In payout",
  paid: "Paid",
  carried: "To be deducted",
} as const;

/** An approved commission will be paid, unless an unpaid payout already contains it. */
export const statusTitles: Readonly<Record<ShownStatus, string>> = {
  pending: moneyTitles.pending,
  approved: moneyTitles.payable,
  paid: moneyTitles.paid,
  reversed: "Reversed",
  rejected: "Rejected",
  void: "No commission",
};
