import type { VoidReason } from "#domain/commission.ts";
import { moneyTitles, statusTitles } from "#domain/commission-status.ts";

export { moneyTitles as moneyLabels, statusTitles as statusLabels };

/** Label of a commission that a signal or a person holds: it stays pending even if it would otherwise be approved. */
export const heldLabel = "Held for review";

/** Label of a commission that is 0 because a corrected sale's commission has replaced it. */
export const correctedLabel = "Corrected";

/** Label of a commission that a signal has flagged, without any other effect. */
export const flaggedLabel = "Flagged";

/** Labels of sums: an approved commission is payable, or already in a payout. */
export const sumLabels = { ...statusTitles, approved: "To pay or in payout" };

export const reasonLabels: Readonly<Record<string, string>> = {
  customer_not_found: "No matching customer",
  no_click: "No click",
  invalid_click_id: "Invalid click ID",
  existing_customer: "Existing customer",
  attribution_window_expired: "Click expired",
  no_commission_policy: "No commission set",
  partner_inactive: "Partner paused",
  program_inactive: "Program paused",
  commission_duration_over: "Commission period over",
  recurring_not_covered: "Repeat purchase",
  excluded_by_rule: "Excluded by a rule",
  currency_mismatch: "Currency mismatch",
  below_minimum: "Below minimum sale",
  one_time_used: "One-time commission used",
} satisfies Record<VoidReason | "one_time_used", string>;
