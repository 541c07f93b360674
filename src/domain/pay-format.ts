/** What takes a payout's lines as a file: PayPal, Wise, or a bank in the SEPA. */
export const payFormats = ["paypal", "wise", "sepa"] as const;
export type PayFormat = (typeof payFormats)[number];
