import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { currencyCodes, currencyExponent } from "#domain/currency.ts";
import { currencyDigits, inSmallestUnit } from "../../sdk/src/currency.ts";

describe("the SDK's decimals of a currency", () => {
  test.each(currencyCodes())("the SDK has the service's decimals for %s", { tags: "finding" }, (currency) => {
    expect(currencyDigits(currency)).toBe(currencyExponent(currency));
    expect(currencyDigits(currency.toLowerCase())).toBe(currencyExponent(currency));
  });

  test.each(["", "EU", "EURO", "12 ", "PL ", undefined, null, 978])("the SDK throws for the currency %j", (code) => {
    expect(() => currencyDigits(code as never)).toThrow(TypeError);
  });
});

describe("a price in the smallest unit", () => {
  test.each([
    [4.99, "USD", 499],
    [600, "JPY", 600],
    [1_990, "HUF", 199_000],
    [19_900, "COP", 1_990_000],
    [75_000, "IDR", 7_500_000],
    [6_500, "IQD", 6_500_000],
    [1.5, "KWD", 1_500],
    [1.005, "EUR", 101],
    [1.255, "EUR", 126],
    [0.285, "EUR", 29],
    [0.004999, "EUR", 0],
    [1e-7, "EUR", 0],
    [0, "EUR", 0],
    [1e9, "JPY", 1_000_000_000],
  ])("a price of %d %s is %d in the smallest unit", { tags: "finding" }, (price, currency, amount) => {
    expect(inSmallestUnit(price, currency)).toBe(amount);
  });

  test("any price with a currency's decimals is converted to the exact number of smallest units", () => {
    void fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 11 }), fc.constantFrom(...currencyCodes()), (amount, currency) => {
        const digits = currencyDigits(currency);
        const text = `${amount}`.padStart(digits + 1, "0");
        const price = Number(`${text.slice(0, text.length - digits)}.${text.slice(text.length - digits)}`);
        expect(inSmallestUnit(price, currency)).toBe(amount);
      }),
    );
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 1e17, "4.99", null])("passing the price %j throws", (price) => {
    expect(() => inSmallestUnit(price as never, "USD")).toThrow(TypeError);
  });
});
