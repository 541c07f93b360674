/// <reference path="./currency-codes.d.ts" />
import records from "currency-codes/data.js";

/** In force since 2025-03-31 (ISO 4217 amendment 176), after the package's list was published. */
export const amendments: readonly (readonly [code: string, exponent: number])[] = [["XCG", 2]];

/** Codes whose minor unit ISO 4217 gives as "N.A.": metals, units of account, tests. Nobody pays in these. */
export const notMoney: ReadonlySet<string> = new Set([
  "XAG",
  "XAU",
  "XBA",
  "XBB",
  "XBC",
  "XBD",
  "XDR",
  "XPD",
  "XPT",
  "XSU",
  "XTS",
  "XUA",
  "XXX",
]);

let exponents: ReadonlyMap<string, number> | undefined;

function exponentsByCode(): ReadonlyMap<string, number> {
  exponents ??= new Map([
    ...records.filter(({ code }) => !notMoney.has(code)).map(({ code, digits }) => [code, digits] as const),
    ...amendments,
  ]);
  return exponents;
}

/** Whether a code, in upper case, names a currency that money can be counted in (ISO 4217). */
export const isCurrency = (code: string): boolean => exponentsByCode().has(code);

/** How many decimal digits the smallest unit of a currency is: 2 for USD, 0 for JPY, 3 for KWD (ISO 4217). */
export const currencyExponent = (code: string): number | undefined => exponentsByCode().get(code);
