import fc from "fast-check";
import { expect, test } from "vitest";
import { currencyCodes, currencyExponent } from "#domain/currency.ts";
import { readAmount, readCents } from "../../importer/amounts.ts";
import { centsOf, currencyDigits, decimalText } from "../../importer/currency.ts";
import { prepare } from "./files.ts";

const amount = (text: string, currency = "EUR", decimalSign?: "point" | "comma") => {
  const reading = readAmount(text, { currency, decimalSign });
  return reading.ok ? reading.value : reading.code;
};

test.each([
  ["120.50", "120.50"],
  ["120,50", "120.50"],
  ["120,5", "120.5"],
  ["120", "120"],
  ["0", "0"],
  ["-4.90", "-4.90"],
  ["-4,90", "-4.90"],
  ["−4,90", "-4.90"],
  ["+4.90", "4.90"],
  ["1.234,56", "1234.56"],
  ["1,234.56", "1234.56"],
  ["1 234,56", "1234.56"],
  ["1\u00A0234,56", "1234.56"],
  ["1\u202F234,56", "1234.56"],
  ["1'234.56", "1234.56"],
  ["1’234.56", "1234.56"],
  ["1.234.567", "1234567"],
  ["1,234,567", "1234567"],
  ["1,234,567.89", "1234567.89"],
  ["1 234", "1234"],
  ["€ 12,50", "12.50"],
  ["12,50 €", "12.50"],
  ["EUR 12.50", "12.50"],
  ["-€4.90", "-4.90"],
  ["007", "7"],
  ["0.50", "0.50"],
])("the amount %s is read as %s", (text, expected) => {
  expect(amount(text)).toBe(expected);
});

test("in an amount, three digits after the only separator are ambiguous, unless the currency or the file's decimal sign decides", () => {
  expect(amount("1.234")).toBe("ambiguous_amount");
  expect(amount("1,234")).toBe("ambiguous_amount");
  expect(amount("-12.345")).toBe("ambiguous_amount");
  expect(amount("1.234", "KWD")).toBe("ambiguous_amount");
  expect(amount("1.234", "JPY")).toBe("1234");
  expect(amount("1.234", "EUR", "comma")).toBe("1234");
  expect(amount("1,234", "EUR", "point")).toBe("1234");
  expect(amount("1.234", "KWD", "point")).toBe("1.234");
  expect(amount("0.123", "KWD")).toBe("0.123");
  expect(amount("1234.567", "KWD")).toBe("1234.567");
});

test.each([
  ["", undefined],
  ["twelve", undefined],
  ["12.50 USD", undefined],
  ["(4.90)", undefined],
  ["1.2.3", undefined],
  ["12 34", undefined],
  ["1,23,456.00", undefined],
  ["1.234,567.00", undefined],
  ["1.234 567,00", undefined],
  ["12.", undefined],
  [".50", undefined],
  ["1e3", undefined],
  ["12.3456", undefined],
  ["0.123", undefined],
  ["1.234.567", "point" as const],
  ["12,50", "point" as const],
])("%j isn't an amount", (text, sign) => {
  expect(amount(text, "EUR", sign)).toBe("invalid_value");
});

test("an amount has at most the decimals of its currency", () => {
  expect(readAmount("12.345,678", { currency: "EUR", decimalSign: undefined })).toMatchObject({
    expected: "at most 2 decimals for EUR",
  });
  expect(readAmount("12.50", { currency: "JPY", decimalSign: undefined })).toMatchObject({
    expected: "a whole number, because JPY has no smaller unit",
  });
});

test("an amount in cents is converted to decimals", () => {
  const cents = (text: string, currency = "EUR") => {
    const reading = readCents(text, { currency });
    return reading.ok ? reading.value : reading.code;
  };
  expect(["1250", "5", "0", "-490"].map((text) => cents(text))).toEqual(["12.50", "0.05", "0.00", "-4.90"]);
  expect([cents("1250", "JPY"), cents("1250", "KWD")]).toEqual(["1250", "1.250"]);
  expect([cents("12.50"), cents("12,50"), cents("1 250")]).toEqual(Array(3).fill("invalid_value"));
});

test("the importer knows the same number of decimals for each currency as the service", () => {
  for (const code of currencyCodes()) expect(currencyDigits(code), code).toBe(currencyExponent(code));
});

test("an amount reformatted by a spreadsheet is read correctly or reported as ambiguous", () => {
  const shown = [
    ["en", "point"],
    ["de", "comma"],
    ["fr", "comma"],
    ["de-CH", "point"],
    ["sv", "comma"],
  ] as const;
  fc.assert(
    fc.property(
      fc.integer({ min: -1e11, max: 1e11 }),
      fc.constantFrom("EUR", "JPY", "KWD"),
      fc.constantFrom(...shown),
      (cents, currency, [locale, sign]) => {
        const digits = currencyDigits(currency);
        const text = (cents / 10 ** digits).toLocaleString(locale, {
          minimumFractionDigits: digits,
          maximumFractionDigits: digits,
        });
        const reading = amount(text, currency);
        if (reading !== "ambiguous_amount") expect(centsOf(reading, currency), text).toBe(cents || 0);
        expect(centsOf(amount(text, currency, sign), currency), text).toBe(cents || 0);
        expect(amount(decimalText(cents, currency), currency, "point")).toBe(decimalText(cents, currency));
      },
    ),
  );
});

test.each([
  ["EUR", "1234.00 or 1.23, or the decimal sign of the file"],
  ["KWD", "1234.000 or, with the decimal sign of the file, 1.234"],
  ["CLF", "1234.0000 or 1.2345, or the decimal sign of the file"],
])(
  "the problem reported for an ambiguous amount in %s shows unambiguous amounts with that currency's decimals",
  { tags: ["finding"] },
  (currency, expected) => {
    expect(readAmount("1.234", { currency, decimalSign: undefined })).toMatchObject({
      expected: `an amount that is clear: ${expected}`,
    });
  },
);

test("a file of balances has rows for the amounts that can be read in only one way, and problems for the others", {
  tags: "finding",
}, () => {
  const cells = [
    ["EUR", "1.234,50"],
    ["EUR", "1 234,50"],
    ["EUR", "1\u00a0234,50"],
    ["EUR", "1\u202f234,50"],
    ["EUR", "1'234.50"],
    ["EUR", "(12.50)"],
    ["EUR", "12.50-"],
    ["EUR", "−12,50"],
    ["EUR", "€12.50"],
    ["EUR", "12,5"],
    ["EUR", "12.505"],
    ["EUR", "1.234.567,89"],
    ["EUR", "1,234"],
    ["JPY", "1.234"],
    ["KWD", "1.234"],
    ["EUR", "1.2E+3"],
    ["EUR", ""],
    ["EUR", "12.50 EUR"],
    ["EUR", "٣٫٥"],
    ["EUR", "0012.50"],
    ["EUR", "+12.50"],
  ] as const;
  const lines = cells.map(([currency, text], i) => `anna;${currency};${text};a${i}`);
  const { rows, problems } = prepare("balances", ["partner_code;currency;amount;reference", ...lines].join("\n"));
  expect([rows.length, problems.length]).toEqual([13, 8]);
  const sumOf = (wanted: string) =>
    rows
      .filter(({ currency }) => currency === wanted)
      .reduce((sum, { amount: text }) => sum + centsOf(String(text), wanted), 0);
  expect([sumOf("EUR"), sumOf("JPY")]).toEqual([124_079_039, 1_234]);
});
