import { currencyExponent, decimalText, writeDecimal } from "#domain/currency.ts";
import { csvLine } from "#http/csv.ts";
import { cellText, isPlainAddress } from "./cell-text.ts";
import type { Layout } from "./layout.ts";

/** By the way in which PayPal writes their decimals: https://docs.paypal.ai/growth/payouts/send-money/use-web-ui */
const currencies: Readonly<Record<"point" | "comma" | "none", readonly string[]>> = {
  point: ["AUD", "CAD", "CHF", "GBP", "HKD", "ILS", "MXN", "MYR", "NZD", "PHP", "SGD", "THB", "USD"],
  comma: ["BRL", "CZK", "DKK", "EUR", "NOK", "PLN", "SEK"],
  none: ["HUF", "JPY", "TWD"],
};

const unitOf = (currency: string): number => 10 ** (currencyExponent(currency) ?? 2);

function amountText(amountCents: number, currency: string): string {
  if (currencies.none.includes(currency)) return writeDecimal(amountCents / unitOf(currency), 0);
  const text = decimalText(amountCents, currency);
  return currencies.comma.includes(currency) ? text.replace(".", ",") : text;
}

/** The file for PayPal's page for payouts. Its first row is a payment already. */
export const paypal: Layout = {
  method: "paypal",
  contentType: "text/csv; charset=utf-8",
  extension: "csv",
  needsPayer: false,
  linesPerFile: 5_000,
  takesCurrency: (currency) => Object.values(currencies).flat().includes(currency),
  faultOf({ amountCents, currency, details }) {
    if (!isPlainAddress(details.account, 127)) return "account";
    const isFraction = currencies.none.includes(currency) && amountCents % unitOf(currency) !== 0;
    return isFraction ? "amount" : undefined;
  },
  partsOf: (file) => ({
    head: "",
    line: (line) => {
      const { amountCents, currency, details } = line;
      const amount = { decimal: amountText(amountCents, currency) };
      const note = cellText(file.reference, 400);
      return csvLine([details.account, amount, currency, String(line.partnerId), note, "PAYPAL"]);
    },
    foot: "",
  }),
};
