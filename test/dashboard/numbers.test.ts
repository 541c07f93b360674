import { expect, test } from "vitest";
import { Failure } from "../../dashboard/src/api/failure.ts";
import { formatMoney, pluralize } from "../../dashboard/src/format.ts";
import { parseMoney, parsePercent, parseWhole } from "../../dashboard/src/forms/parse-numbers.ts";
import { namedByCode } from "../../dashboard/src/named-by-code.ts";
import { currencyOfZone } from "../../dashboard/src/select-options.ts";

/** Returns the text without the currency symbol. */
const digitsOf = (text: string) => text.replaceAll(/[^\d.,-]/g, "");

test.each([
  [4_900, "EUR", "49.00"],
  [5, "USD", "0.05"],
  [-1_234_50, "USD", "-1,234.50"],
  [500, "JPY", "500"],
  [1_234, "KWD", "1.234"],
  [123_456, "HUF", "1,234.56"],
  [0, "CLF", "0.0000"],
  [100_000_000_000, "EUR", "1,000,000,000.00"],
])(
  "the amount %i in %s is displayed with as many decimals as ISO 4217 defines for the currency",
  (cents, currency, written) => {
    expect(digitsOf(formatMoney(cents, currency))).toBe(written);
  },
);

test("a new program's default currency is that of the browser's time zone", () => {
  const zones = ["Europe/Berlin", "Europe/London", "Asia/Calcutta", "America/New_York", "Etc/UTC"];
  expect(zones.map(currencyOfZone)).toEqual(["EUR", "GBP", "INR", "USD", "USD"]);
});

test.each([
  ["Anna", "Anna (a)"],
  ["\u202Eanna", "anna (a)"],
  ["24 ספרים", "\u206824 ספרים\u2069 (a)"],
  ["متجر\u2069\u202E", "\u2068متجر\u2069 (a)"],
  ["👩‍👩‍👧", "👩‍👩‍👧 (a)"],
])("the name %j doesn't change the direction of a sentence", (name, written) => {
  expect(namedByCode({ name, partnerCode: "a" })).toBe(written);
});

test("counted nouns have the right singular or plural form", () => {
  expect([0, 1, 2_551].map((count) => pluralize(count, "visitor"))).toEqual([
    "0 visitors",
    "1 visitor",
    "2,551 visitors",
  ]);
});

test("typed amounts, rates and numbers are converted to the integers that the API expects", () => {
  expect(parsePercent("12.5", "rateBps")).toBe(1_250);
  expect(parsePercent("7,25", "rateBps")).toBe(725);
  expect(parsePercent("100", "rateBps")).toBe(10_000);
  expect(parseMoney("19.9", "EUR", "amountCents")).toBe(1_990);
  expect(parseMoney("500", "JPY", "amountCents")).toBe(500);
  expect(parseMoney("1.234", "KWD", "amountCents")).toBe(1_234);
  expect(parseWhole(" 15 ", "holdDays")).toBe(15);
});

test.each([
  ["rateBps", () => parsePercent("100.01", "rateBps")],
  ["rateBps", () => parsePercent("1.234", "rateBps")],
  ["rateBps", () => parsePercent("", "rateBps")],
  ["amountCents", () => parseMoney("5.5", "JPY", "amountCents")],
  ["amountCents", () => parseMoney("-1", "EUR", "amountCents")],
  ["amountCents", () => parseMoney("1,000.00", "EUR", "amountCents")],
  ["amountCents", () => parseMoney("1,500", "KWD", "amountCents")],
  ["currency", () => parseMoney("15", "EURO", "amountCents")],
  ["holdDays", () => parseWhole("1.0", "holdDays")],
])("an invalid number is reported at %s", (name, parse) => {
  const caught = (() => {
    try {
      return parse();
    } catch (error) {
      return error;
    }
  })();
  expect(caught).toBeInstanceOf(Failure);
  expect(caught).toMatchObject({ fieldErrors: [{ path: name }] });
});
