import { writeDecimal } from "#domain/currency.ts";
import type { PartnerId, PayoutId, ProgramId } from "#domain/ids.ts";
import type { LineFault } from "#domain/pay-format.ts";
import { cellText, isWiseName, wiseName } from "#domain/payee-name.ts";
import type { Payer } from "#domain/payer.ts";
import type { PaymentDetails, PaymentMethod } from "#domain/payment-details.ts";
import { decimalText, digitsOf, noUnits } from "#domain/units.ts";
import { csvLine } from "#http/csv.ts";

export interface PayLine {
  readonly partnerId: PartnerId;
  readonly partnerCode: string;
  readonly name: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly details: PaymentDetails;
}

export interface PayFile {
  readonly programId: ProgramId;
  readonly payoutId: PayoutId;
  readonly reference: string;
  readonly currency: string;
  readonly payer: Payer | null;
  /** `lineCount` and `totalCents` cover the lines of this file. */
  readonly lineCount: number;
  readonly totalCents: number;
  readonly createdAt: number;
  /** Day of the payment, such as "2026-03-01". */
  readonly day: string;
}

interface FileParts {
  readonly head: string;
  readonly line: (line: PayLine) => string;
  readonly foot: string;
}

/** A file format that a payment service or bank reads. */
export interface Layout {
  readonly method: PaymentMethod;
  readonly contentType: string;
  readonly extension: string;
  readonly needsPayer: boolean;
  /** The payment service rejects a file with more lines. */
  readonly linesPerFile: number;
  readonly takesCurrency: (currency: string) => boolean;
  /**
   * Returns the reason why the payment service would reject the line, and perhaps the whole file. Undefined if the
   * service would accept the line.
   */
  readonly faultOf: (line: PayLine) => LineFault | undefined;
  readonly partsOf: (file: PayFile) => FileParts;
}

/**
 * A line's id in the file. It is the same whenever the file is generated, so that an entry in a bank statement can be
 * traced to the line.
 */
export const lineId = ({ payoutId }: PayFile, { partnerId }: PayLine): string => `P${payoutId}-${partnerId}`;

/** An email address that neither a spreadsheet nor a payment service can misread. */
const isPlainAddress = (account: string, maxLength: number): boolean =>
  account.length <= maxLength &&
  /^(?!.{65,}@)\w[\w!#$%&'*+/=?^`{|}~-]*(\.[\w!#$%&'*+/=?^`{|}~-]+)*@([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}$/.test(
    account,
  );

/**
 * Currencies by the decimal format that PayPal requires for amounts:
 * https://docs.paypal.ai/growth/payouts/send-money/use-web-ui
 */
const paypalCurrencies: Readonly<Record<"point" | "comma" | "none", readonly string[]>> = {
  point: ["AUD", "CAD", "CHF", "GBP", "HKD", "ILS", "MXN", "MYR", "NZD", "PHP", "SGD", "THB", "USD"],
  comma: ["BRL", "CZK", "DKK", "EUR", "NOK", "PLN", "SEK"],
  none: ["HUF", "JPY", "TWD"],
};

const unitOf = (currency: string): number => 10 ** digitsOf(currency, noUnits);

function amountText(amountCents: number, currency: string): string {
  if (paypalCurrencies.none.includes(currency)) return writeDecimal(amountCents / unitOf(currency), 0);
  const text = decimalText(amountCents, currency, noUnits);
  return paypalCurrencies.comma.includes(currency) ? text.replace(".", ",") : text;
}

/** The file to upload on PayPal's page for payouts. It has no header row. */
export const paypal: Layout = {
  method: "paypal",
  contentType: "text/csv; charset=utf-8",
  extension: "csv",
  needsPayer: false,
  linesPerFile: 5_000,
  takesCurrency: (currency) => Object.values(paypalCurrencies).flat().includes(currency),
  faultOf({ amountCents, currency, details }) {
    if (!isPlainAddress(details.account, 127)) return "account";
    const isFraction = paypalCurrencies.none.includes(currency) && amountCents % unitOf(currency) !== 0;
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

/**
 * Currencies in which Wise can send money from a balance to an email address: https://wise.com/help/articles/2932105
 */
const wiseCurrencies: readonly string[] = [
  "AED",
  "AUD",
  "CAD",
  "CHF",
  "CZK",
  "DKK",
  "EUR",
  "GBP",
  "HKD",
  "HUF",
  "IDR",
  "ILS",
  "JPY",
  "MXN",
  "MYR",
  "NOK",
  "NZD",
  "PHP",
  "PLN",
  "RON",
  "SEK",
  "SGD",
  "THB",
  "TRY",
  "USD",
  "ZAR",
];

/** Limit for a payment in JPY to an email address. */
const maxYen = 1_000_000;

/** The number of characters of a reference that the banks of a currency keep: https://wise.com/help/articles/2932870 */
const referenceLengths: Readonly<Record<string, number>> = {
  USD: 10,
  SEK: 12,
  NZD: 12,
  GBP: 16,
  AUD: 18,
  ZAR: 18,
  CZK: 25,
  SGD: 25,
  RON: 30,
};

const columns = [
  "name",
  "recipientEmail",
  "paymentReference",
  "receiverType",
  "amountCurrency",
  "amount",
  "sourceCurrency",
  "targetCurrency",
];

/** The file for Wise's batch payments to email addresses. */
export const wise: Layout = {
  method: "wise",
  contentType: "text/csv; charset=utf-8",
  extension: "csv",
  needsPayer: false,
  linesPerFile: 1_000,
  takesCurrency: (currency) => wiseCurrencies.includes(currency),
  faultOf({ amountCents, currency, details }) {
    if (!isPlainAddress(details.account, 255)) return "account";
    if (currency === "JPY" && amountCents > maxYen) return "amount";
    return isWiseName(details.holder) ? undefined : "name";
  },
  partsOf: ({ payoutId, reference }) => ({
    head: csvLine(columns),
    line: (line) => {
      const { amountCents, currency, details } = line;
      const shown = cellText(reference, referenceLengths[currency] ?? 35) || `P${payoutId}`;
      const amount = { decimal: decimalText(amountCents, currency, noUnits) };
      // "target": the partner receives the whole amount, and the sender pays the fees.
      return csvLine([
        wiseName(details.holder),
        details.account,
        shown,
        "PERSON",
        "target",
        amount,
        currency,
        currency,
      ]);
    },
    foot: "",
  }),
};
