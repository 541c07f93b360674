import { currencyExponent } from "../../src/domain/currency.ts";
import { writeDecimal } from "./forms/parse-numbers.ts";

/** `amountCents` is in the currency's smallest unit. Decimals follow ISO 4217, which `Intl` doesn't always. */
export function formatMoney(amountCents: number, currency: string): string {
  const digits = currencyExponent(currency) ?? 2;
  const units = writeDecimal(Math.abs(amountCents), digits);
  const format = new Intl.NumberFormat(undefined, {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return format.format(`${amountCents < 0 ? "-" : ""}${units}` as Intl.StringNumericLiteral);
}

export const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const fullDay = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

export const formatDay = (day: string): string => fullDay.format(new Date(`${day}T00:00:00Z`));

const plainDay = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });

/** Without the weekday. */
export const formatDate = (day: string): string => plainDay.format(new Date(`${day}T00:00:00Z`));
