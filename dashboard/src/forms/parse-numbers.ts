import { writeDecimal } from "#domain/currency.ts";
import { fieldError } from "../api/failure.ts";
import { currencyName, isKnownCurrency, moneyDigits } from "../format.ts";

/** Parses "12.5" or "12,5" into an integer scaled by 10^`digits`. Undefined if it isn't such a number. */
function parseDecimal(text: string, digits: number): number | undefined {
  const match = /^(\d{1,15})(?:[.,](\d+))?$/.exec(text.trim());
  // The user may mean 1500 by "1,500", so such text is refused.
  if (match === null || /,\d{3}$/.test(match[0]) || (match[2] ?? "").length > digits) return undefined;
  const scaled = Number(`${match[1]}${(match[2] ?? "").padEnd(digits, "0")}`);
  return Number.isSafeInteger(scaled) ? scaled : undefined;
}

/** Returns basis points. Throws an error on the field `name` if the text isn't a percentage. */
export function parsePercent(text: string, name: string): number {
  const bps = parseDecimal(text, 2);
  if (bps === undefined || bps > 10_000)
    throw fieldError(name, "Enter a percentage from 0 to 100 with at most 2 decimals.");
  return bps;
}

/**
 * Returns an amount in the smallest part of the currency, which may be the code of a program's unit. Throws an error on
 * the field `name` if the text isn't an amount, or on the field `currency` if the currency is unknown.
 */
export function parseMoney(text: string, currency: string, name: string): number {
  if (!isKnownCurrency(currency)) throw fieldError("currency", "Enter a currency code, such as EUR.");
  const digits = moneyDigits(currency);
  const cents = parseDecimal(text, digits);
  if (cents !== undefined) return cents;
  throw fieldError(
    name,
    `Enter an amount in ${currencyName(currency)} ${digits === 0 ? "without decimals" : `with at most ${digits} decimals, such as ${writeDecimal(15 * 10 ** (digits - 1), digits)}`}.`,
  );
}

export function parseWhole(text: string, name: string): number {
  const whole = parseDecimal(text, 0);
  if (whole === undefined) throw fieldError(name, "Enter a whole number.");
  return whole;
}
