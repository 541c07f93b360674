/** What takes a payout's lines as a file: PayPal, Wise, or a bank in the SEPA. */
export const payFormats = ["paypal", "wise", "sepa"] as const;
export type PayFormat = (typeof payFormats)[number];

/** The part of a line for which a service would refuse it. */
export const lineFaults = ["name", "account", "amount"] as const;
export type LineFault = (typeof lineFaults)[number];
