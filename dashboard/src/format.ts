import { currencyExponent } from "../../src/domain/currency.ts";
import { writeDecimal } from "./forms/parse-numbers.ts";

/** An amount in its currency's smallest unit, as people write it. Digits are those of ISO 4217; those of `Intl` differ. */
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

/** "1 day", "2 days". */
export const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const fullDay = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

/** A calendar day, `2026-03-01`, as people write it. */
export const formatDay = (day: string): string => fullDay.format(new Date(`${day}T00:00:00Z`));
