import { currencyExponent } from "../../src/domain/currency.ts";
import { writeDecimal } from "./forms/numbers.ts";

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
