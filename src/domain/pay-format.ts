/** Formats of payment files, for PayPal, Wise and banks with SEPA. */
export const payFormats = ["paypal", "wise", "sepa"] as const;
export type PayFormat = (typeof payFormats)[number];

/** The part of a line that the payment service would reject. */
export const lineFaults = ["name", "account", "amount"] as const;
export type LineFault = (typeof lineFaults)[number];
