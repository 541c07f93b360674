/** Formats of a payout file: for PayPal, Wise, or a SEPA bank. */
export const payFormats = ["paypal", "wise", "sepa"] as const;
export type PayFormat = (typeof payFormats)[number];

/** The part of a line for which a service would refuse it. */
export const lineFaults = ["name", "account", "amount"] as const;
export type LineFault = (typeof lineFaults)[number];
