export const payoutStatuses = ["draft", "final", "paid", "canceled"] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];

/** `person`: a member pays all lines at once. `api`: a program's own system settles each line. */
export const settlers = ["person", "api"] as const;
export type Settler = (typeof settlers)[number];

/**
 * A line of a final or paid payout is `live` unless it failed. If a payout that a person pays is canceled, its lines
 * keep their state. If a payout is settled by API, a line that is given back (it won't be paid, and its amount is
 * payable again) is `failed`.
 */
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
