import { currencyExponent, writeDecimal } from "#domain/currency.ts";
import { digitsOf, unitText } from "#domain/units.ts";
import { knownUnits } from "./known-units.ts";
import { dateLocale, locale } from "./locale.ts";

/**
 * `currency` may be the code of a program's unit, such as free months. `amountCents` is in its smallest part.
 * Currencies have the decimals of ISO 4217, from which `Intl` differs in some currencies.
 */
export function formatMoney(amountCents: number, currency: string): string {
  const unit = knownUnits().get(currency);
  if (unit !== undefined) return unitText(amountCents, unit, locale);
  const digits = moneyDigits(currency);
  const units = writeDecimal(Math.abs(amountCents), digits);
  const format = new Intl.NumberFormat(locale, {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return format.format(`${amountCents < 0 ? "-" : ""}${units}` as Intl.StringNumericLiteral);
}

/** False for a code that no amount can be in: neither a currency nor a unit of the program. */
export const isKnownCurrency = (code: string): boolean =>
  currencyExponent(code) !== undefined || knownUnits().has(code);

export const moneyDigits = (currency: string): number => digitsOf(currency, knownUnits());

/** Returns the code of a currency, or the words of a unit, such as "free months". */
export const currencyName = (code: string): string => knownUnits().get(code)?.other ?? code;

/** An amount that is shortened from a million on, such as "€2.5M". */
export function formatShortMoney(amountCents: number, currency: string): string {
  const units = amountCents / 10 ** moneyDigits(currency);
  if (Math.abs(units) < 1_000_000 || knownUnits().has(currency)) return formatMoney(amountCents, currency);
  const format = { style: "currency", currency, notation: "compact", maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(locale, format).format(units);
}

/** A short number or amount for an axis, such as "€2K" or "1.5M". Amounts are in the currency's smallest unit. */
export function formatScale(value: number, currency?: string): string {
  if (currency === undefined) return new Intl.NumberFormat(locale, { notation: "compact" }).format(value);
  const units = value / 10 ** moneyDigits(currency);
  if (knownUnits().has(currency)) return formatScale(units);
  const digits = Math.abs(units) < 10 && !Number.isInteger(units) ? 2 : 0;
  const format = { style: "currency", currency, maximumFractionDigits: digits, minimumFractionDigits: digits } as const;
  return new Intl.NumberFormat(
    locale,
    Math.abs(units) < 10_000 ? format : { ...format, notation: "compact", maximumFractionDigits: 1 },
  ).format(units);
}

const counts = new Intl.NumberFormat(locale);
export const formatCount = (count: number): string => counts.format(count);

const percents = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
export const formatPercent = (percent: number): string => `${percents.format(percent)}%`;

export const pluralize = (value: number, noun: string): string =>
  `${formatCount(value)} ${noun}${value === 1 ? "" : "s"}`;

const fullDay = new Intl.DateTimeFormat(dateLocale, {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

export const formatDay = (day: string): string => fullDay.format(new Date(`${day}T00:00:00Z`));

const plainDay = new Intl.DateTimeFormat(dateLocale, { dateStyle: "medium", timeZone: "UTC" });

/** A day without its weekday. */
export const formatDate = (day: string): string => plainDay.format(new Date(`${day}T00:00:00Z`));

// Without a serial comma, like the page's other sentences.
const list = new Intl.ListFormat("en-GB");
export const formatList = (items: readonly string[]): string => list.format(items);
