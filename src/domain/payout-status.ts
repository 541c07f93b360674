export const payoutStatuses = ["draft", "final", "paid", "canceled"] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];

/** A line of a final or paid payout is `live` unless it failed. Lines of a canceled payout keep their state. */
export const lineStates = ["proposed", "skipped", "live", "failed"] as const;
export type LineState = (typeof lineStates)[number];

export const skipReasons = [
  "below_minimum",
  "negative",
  "paused",
  "details_changed",
  "no_details",
  "over_limit",
] as const;
export type SkipReason = (typeof skipReasons)[number];

export const payoutApprovals = ["one_person", "two_people"] as const;
export type PayoutApproval = (typeof payoutApprovals)[number];
