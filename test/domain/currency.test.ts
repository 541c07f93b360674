/// <reference path="./currency-codes.d.ts" />
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import records from "currency-codes/data.js";
import { describe, expect, it } from "vitest";
import { currencyCodes, currencyExponent, isCurrency } from "#domain/currency.ts";

const publishedList = readFileSync(
  createRequire(import.meta.url).resolve("currency-codes/iso-4217-list-one.xml"),
  "utf8",
);

describe("currencies", () => {
  it.each([
    ["USD", 2],
    ["EUR", 2],
    ["HUF", 2],
    ["IDR", 2],
    ["COP", 2],
    ["XCG", 2],
    ["XAF", 0],
    ["JPY", 0],
    ["KRW", 0],
    ["KWD", 3],
    ["CLF", 4],
  ])("the known currencies include %s with %d digits", (code, digits) => {
    expect(currencyExponent(code)).toBe(digits);
    expect(isCurrency(code)).toBe(true);
  });

  it.each(["XXX", "XTS", "XAU", "XDR", "DEM", "FRF", "HRK", "BTC", "usd", "US", "", "toString"])(
    "the known currencies don't include %j",
    (code) => {
      expect(isCurrency(code)).toBe(false);
      expect(currencyExponent(code)).toBeUndefined();
    },
  );

  const listed = [...publishedList.matchAll(/<Ccy>([A-Z]{3})<\/Ccy>\s*<CcyNbr>\d+<\/CcyNbr>\s*<CcyMnrUnts>([^<]+)</g)];
  const withoutUnit = new Set(listed.filter(([, , unit]) => unit === "N.A.").map(([, code]) => code));

  it("the known currencies have the codes and digits of the package currency-codes, except for codes without a minor unit", () => {
    const expected = records.filter(({ code }) => !withoutUnit.has(code));
    expect(expected.length).toBeGreaterThan(150);
    expect(expected.map(({ code }) => [code, currencyExponent(code)])).toEqual(
      expected.map(({ code, digits }) => [code, digits]),
    );
  });

  it("the service adds only currencies that the package currency-codes doesn't contain yet", () => {
    const packaged = new Set(records.map(({ code }) => code));
    expect(currencyCodes().filter((code) => !packaged.has(code))).toEqual(["XCG"]);
  });
});
