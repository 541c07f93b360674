/** Explanations and remedies for each reason or message that the service sends. */
export const remedies: Readonly<Record<string, string>> = {
  no_commission_policy: "No commission policy covers it. Set one in the program's settings.",
  partner_inactive: "The partner is paused. Resume the partner on the program's Partners page.",
  program_inactive: "The program is paused. Resume it in the program's settings.",
  "Referral link is inactive": "The partner or the program is paused. Resume it in the dashboard.",
  "Sale not found for transaction_id": "Send the sale first, to the same book: live and test data never mix.",
  "Referral link not found": "No partner of the program has this code. Compare aff with the partner's link.",
  commission_duration_over: "The policy pays for a limited time after the first sale, and that time is over.",
  recurring_not_covered:
    "The policy pays only for a customer's first sale. Choose recurring or lifetime to pay for more.",
  one_time_used: "Nothing was restored: another sale has earned the customer's one commission since.",
  excluded_by_rule: "A rule of the policy excludes all that was sold.",
  currency_mismatch: "The policy's amounts are in a different currency than the sale.",
  below_minimum: "The sale is below the policy's minimum.",
  customer_not_found: "No lead named this customer. Send one with the same customer key and a click id.",
  no_click: "No click of this customer is known. Send a lead with the click id that the browser forwarded.",
  invalid_click_id:
    "The click id isn't one of this program, or belongs to the other book (live or test). Forward it unchanged.",
  existing_customer: "The customer bought before the click, so the click didn't bring a new customer.",
  attribution_window_expired: "The click is older than the program's attribution window.",
  provisional: "The program accepts only leads sent with its key, and this one was sent without it.",
  "Attributed to another partner": "Another partner was credited. Report this with the customer key.",
  "Rests on a step that failed": "This step was skipped. Fix the step above first.",
};

/** Returns the reason itself if it is unknown. */
export const explainReason = (reason: unknown): string => remedies[String(reason)] ?? `${reason}.`;
