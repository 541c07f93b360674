/** A commission's own states, which no payout changes. */
export const commissionStatuses = ["pending", "approved", "reversed", "rejected", "void"] as const;
export type CommissionStatus = (typeof commissionStatuses)[number];

/** As lists, explanations and files show it: one that a payout holds keeps the state in which it was taken. */
export const shownStatuses = ["pending", "approved", "paid", "reversed", "rejected", "void"] as const;
export type ShownStatus = (typeof shownStatuses)[number];

/** By a person. */
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

/** Money has the same name wherever a person reads it. */
export const moneyTitles = {
  pending: "On hold",
  payable: "To pay",
  inPayout: "In payout",
  paid: "Paid",
  carried: "To be deducted",
} as const;

/** An approved commission is to be paid, unless a payout that isn't paid yet holds it. */
export const statusTitles: Readonly<Record<ShownStatus, string>> = {
  pending: moneyTitles.pending,
  approved: moneyTitles.payable,
  paid: moneyTitles.paid,
  reversed: "Reversed",
  rejected: "Rejected",
  void: "No commission",
};
