import { decimalText } from "#domain/currency.ts";
import { csvLine } from "#http/csv.ts";
import { cellText, isPlainAddress } from "./cell-text.ts";
import type { Layout } from "./layout.ts";

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

/** Of a person's name, for the banks of many currencies. */
const maxName = 35;

/** Wise asks for a first and a last name, of more than an initial each, in Latin letters. */
const isName = (name: string): boolean =>
  name.length <= maxName &&
  !/(?!\p{Script=Latin})\p{L}/u.test(name) &&
  name.split(" ").filter((word) => /\p{L}.*\p{L}/u.test(word)).length >= 2;

const nameOf = (holder: string): string => cellText(holder, 140);

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
  faultOf({ amountCents, currency, details }) {
    if (!isPlainAddress(details.account, 255)) return "account";
    if (currency === "JPY" && amountCents > maxYen) return "amount";
    return isName(nameOf(details.holder)) ? undefined : "name";
  },
  partsOf: ({ payoutId, reference }) => ({
    head: csvLine(columns),
    line: (line) => {
      const { amountCents, currency, details } = line;
      const shown = cellText(reference, referenceLengths[currency] ?? 35) || `P${payoutId}`;
      const amount = { decimal: decimalText(amountCents, currency) };
      // "target": the partner receives the amount in full, and the fees are yours.
      return csvLine([nameOf(details.holder), details.account, shown, "PERSON", "target", amount, currency, currency]);
    },
    foot: "",
  }),
};
