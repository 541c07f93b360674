/**
 * Decimals by which Stripe's unit is smaller than the smallest unit of ISO 4217: it sends ISK and UGX with two
 * decimals, which have none, and MGA with none, which has two. Three-decimal currencies agree.
 * https://docs.stripe.com/currencies
 */
const extraDecimals: Readonly<Record<string, number>> = { ISK: 2, UGX: 2, MGA: -2 };

export const isoAmount = (amount: number, currency: string): number =>
  Math.round(amount / 10 ** (extraDecimals[currency.toUpperCase()] ?? 0));

export const stripeAmount = (amountCents: number, currency: string): number =>
  Math.round(amountCents * 10 ** (extraDecimals[currency.toUpperCase()] ?? 0));
