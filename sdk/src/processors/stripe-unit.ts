/**
 * Number of decimals that amounts have at Stripe in addition to those of ISO 4217. At Stripe, ISK and UGX have two
 * decimals, but none in ISO 4217, and MGA has none, but two in ISO 4217. Currencies with three decimals have them in
 * both. https://docs.stripe.com/currencies
 */
const extraDecimals: Readonly<Record<string, number>> = { ISK: 2, UGX: 2, MGA: -2 };

export const isoAmount = (amount: number, currency: string): number =>
  Math.round(amount / 10 ** (extraDecimals[currency.toUpperCase()] ?? 0));

export const stripeAmount = (amountCents: number, currency: string): number =>
  Math.round(amountCents * 10 ** (extraDecimals[currency.toUpperCase()] ?? 0));
