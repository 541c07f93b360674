/** In the words of a row. */
export const refusalTitles: Readonly<Record<string, string>> = {
  invalid_value: "A value is missing or can't be read.",
  invalid_code: "A code may have 2 to 64 letters, digits, - and _.",
  owner_only: "Only an owner may import payment details.",
  unknown_group: "Groups aren't imported. Empty the cell, and add the partner to the group afterwards.",
  code_taken: "Another partner has this code.",
  links_full: "A partner can have 20 codes.",
  partners_full: "The program has as many partners as it can have.",
  differs: "It exists here, with other values.",
  unknown_partner: "No partner has this code. Import the partners first.",
  zero_amount: "There is nothing to pay.",
  other_partner: "The customer has another partner here, for good.",
  past_needs_consent: "“Since” is in the past. Agree to pay for the sales from then on, or don't map the column.",
  subscription_taken: "The subscription is another customer's.",
  too_many_refunds: "Its earlier sales have too many refunds for one call. Import it again, or in a file of its own.",
  same_email: "Several partners have this email address.",
  more_sales: "The customer has more earlier sales than are counted here.",
};
