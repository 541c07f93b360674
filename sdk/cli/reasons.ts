/** What a reason or a message of the service's means, and what to do about it. */
export const remedies: Readonly<Record<string, string>> = {
  no_commission_policy: "No commission policy covers it. Set one under the program's settings.",
  partner_inactive: "The partner is paused. Resume them under the program's partners.",
  program_inactive: "The program is paused. Resume it under the program's settings.",
  "Referral link is inactive": "The partner or the program is paused. Resume them under the program's settings.",
  "Sale not found for transaction_id": "Send the sale first, in the same book: live and test never touch.",
  "Referral link not found": "No partner of the program has this code. Compare aff with the partner's link.",
  commission_duration_over: "The policy pays for a limited time after the first sale, which is over.",
  recurring_not_covered:
    "The policy pays for a customer's first sale alone. Choose recurring or lifetime to pay for more.",
  one_time_used: "Nothing was restored: another sale has earned the customer's one commission since.",
  currency_mismatch: "The policy's amounts are in another currency than the sale.",
  below_minimum: "The sale is below the policy's minimum.",
  customer_not_found: "No lead named this customer. Send one with the same customer key and a click id.",
  no_click: "No click is known of this customer. Send a lead with the click id that the browser forwarded.",
  invalid_click_id:
    "The click id is not one of this program, or is of the other book (live or test). Forward it to the letter.",
  existing_customer: "The customer bought before the click, so the click brought nobody.",
  attribution_window_expired: "The click is older than the program's attribution window.",
  provisional: "The program settles leads that come with its key alone, and this one came without.",
  "Attributed to another partner": "Another partner was credited. Report this with the customer key.",
  "Rests on a step that failed": "It could not be tried. Mend the step above first.",
};

/** In words; the reason itself where it is none that is known. */
export const explainReason = (reason: unknown): string => remedies[String(reason)] ?? `${reason}.`;
