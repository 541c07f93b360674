import { decimalText } from "#domain/currency.ts";
import { csvLine } from "#http/csv.ts";
import { cellText, isPlainAddress } from "./cell-text.ts";
import { type Layout, payeeName } from "./layout.ts";

/** That Wise sends from a balance to an email address: https://wise.com/help/articles/2932105 */
const currencies: readonly string[] = [
  ...["AED", "AUD", "CAD", "CHF", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "IDR", "ILS", "JPY", "MXN", "MYR", "NOK"],
  ...["NZD", "PHP", "PLN", "RON", "SEK", "SGD", "THB", "TRY", "USD", "ZAR"],
];

/** Of a payment to an email address. */
const maxYen = 1_000_000;

/** Characters that the banks of a currency keep of a reference: https://wise.com/help/articles/2932870 */
const referenceLengths: Readonly<Record<string, number>> = {
  ...{ USD: 10, SEK: 12, NZD: 12, GBP: 16, AUD: 18, ZAR: 18, CZK: 25, SGD: 25, RON: 30 },
};

const columns = [
  ...["name", "recipientEmail", "paymentReference", "receiverType"],
  ...["amountCurrency", "amount", "sourceCurrency", "targetCurrency"],
];

/** The file for Wise's batch payments to email addresses. */
export const wise: Layout = {
  method: "wise",
  contentType: "text/csv; charset=utf-8",
  extension: "csv",
  needsPayer: false,
  linesPerFile: 1_000,
  takesCurrency: (currency) => currencies.includes(currency),
  takesLine: ({ amountCents, currency, details }) =>
    isPlainAddress(details.account, 255) && (currency !== "JPY" || amountCents <= maxYen),
  partsOf: ({ payoutId, reference }) => ({
    head: csvLine(columns),
    line: (line) => {
      const { amountCents, currency, details } = line;
      const name = payeeName(line, (text) => cellText(text, 140));
      const shown = cellText(reference, referenceLengths[currency] ?? 35) || `P${payoutId}`;
      const amount = { decimal: decimalText(amountCents, currency) };
      // "target": the partner receives the amount in full, and the fees are yours.
      return csvLine([name, details.account, shown, "PERSON", "target", amount, currency, currency]);
    },
    foot: "",
  }),
};
