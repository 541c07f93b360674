export const commissionStatuses = ["pending", "approved", "paid", "reversed", "rejected", "void"] as const;
export type CommissionStatus = (typeof commissionStatuses)[number];

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
