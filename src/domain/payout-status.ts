export const payoutStatuses = ["draft", "finalizing", "final", "confirming", "paid", "canceled"] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];

/** Work in bounded steps that a payout has left. */
export const payoutPhases = ["composing", "reserving", "returning", "paying", "freeing"] as const;
export type PayoutPhase = (typeof payoutPhases)[number];

/** A line holds entries from `reserving` on. It is live while it is `reserving` or `live` and its payout isn't canceled. */
export const lineStates = ["proposed", "skipped", "reserving", "live", "dropped", "failed"] as const;
export type LineState = (typeof lineStates)[number];

export const skipReasons = ["below_minimum", "negative", "paused", "email_changed", "over_limit"] as const;
export type SkipReason = (typeof skipReasons)[number];

export const payoutApprovals = ["one_person", "two_people"] as const;
export type PayoutApproval = (typeof payoutApprovals)[number];
