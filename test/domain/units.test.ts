import { describe, expect, test } from "vitest";
import { noTerms } from "#domain/commission.ts";
import { sumsByCurrency } from "#domain/currency-sums.ts";
import { commissionText } from "#domain/explain/commission-text.ts";
import { moneyText } from "#domain/explain/text.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { payoutPaid } from "#domain/mail/letters.ts";
import { decimalText, digitsOf, isUnitCode, isUnitWord, noUnits, unitsByCode, unitText } from "#domain/units.ts";

const months = { code: "MONTHS", digits: 0, one: "free month", other: "free months" };
const credits = { code: "CREDIT", digits: 2, one: "credit", other: "credits" };
const units = unitsByCode([months, credits]);

describe("an amount of a unit", () => {
  test.each([
    [0, "0 free months"],
    [1, "1 free month"],
    [2, "2 free months"],
    [-1, "-1 free month"],
    [1_200, "1,200 free months"],
  ])("the amount %i in a unit that owners define, such as free months, is written as %s", (amount, text) => {
    expect(moneyText(amount, "MONTHS", units)).toBe(text);
    expect(moneyText(amount, "MONTHS", units)).not.toContain("MONTHS");
  });

  test.each([
    [100, "1 credit"],
    [150, "1.5 credits"],
    [1, "0.01 credits"],
    [10 ** 11, "1,000,000,000 credits"],
  ])("the amount %i in a unit with two decimals, such as credits, is written as %s", (amount, text) => {
    expect(unitText(amount, credits, "en")).toBe(text);
  });

  test("an amount in a unit such as free months is written in files with the unit's decimals", () => {
    expect(decimalText(2, "MONTHS", units)).toBe("2");
    expect(decimalText(150, "CREDIT", units)).toBe("1.50");
    expect(decimalText(980, "EUR", units)).toBe("9.80");
  });

  test("an amount in a unit can't be formatted if the unit isn't known", () => {
    for (const write of [moneyText, decimalText]) expect(() => write(2, "MONTHS", noUnits)).toThrow("MONTHS");
    expect(() => digitsOf("POINTS", units)).toThrow("POINTS");
  });

  test("an amount in a unit such as free months is written in words in emails and in the terms of a policy", () => {
    const paid = {
      ...{ programName: "Northwind", origin: "https://service.example", reference: "r", currency: "MONTHS" },
      ...{ programId: 1 as ProgramId, partnerId: 7 as PartnerId, hasAccount: true, number: 1 },
      sums: {
        ...{ openingCents: 0, earnedCents: 2, refundedCents: 0, adjustedCents: 0 },
        ...{ returnedCents: 0, paidCents: -2, closingCents: 0 },
      },
    };
    expect(payoutPaid({ ...paid, amountCents: 2, unit: months }).subject).toBe("Northwind paid you 2 free months");
    const terms = { ...noTerms, type: "flat", scope: "lifetime", amountCents: 1, unit: months } as const;
    const rules = [{ when: { productIds: ["pro"] }, amountCents: 2 }];
    expect(commissionText({ ...terms, rules, currency: "EUR", minSaleCents: 500 })).toBe(
      "2 free months for each pro; 1 free month for each sale, if it has other items; nothing on sales below €5.00; only for sales in EUR",
    );
  });
});

test.each(["EUR", "months", "MONTHS1", "MONTHSMONTHSM"])("%s isn't a valid code of a unit", (code) => {
  expect(isUnitCode(code)).toBe(false);
});

test.each(["free month", "Gratismonat", "mois d'essai", "2-day pass", "月"])("%s is a valid word of a unit", (word) => {
  expect(isUnitWord(word)).toBe(true);
});

test.each(["evil.example", "a:b", "<b>", "a/b", "", " a", "a\u202eb"])("%j isn't a valid word of a unit", (word) => {
  expect(isUnitWord(word)).toBe(false);
});

test("sums by currency count a sale in the sale's currency, and the commission in the commission's currency", () => {
  const pair = { sales: 1, commissionCents: 2 };
  expect(
    sumsByCurrency(
      ["sales"],
      [
        { currency: "EUR", commissionCurrency: "MONTHS", ...pair },
        { currency: "USD", commissionCurrency: "MONTHS", ...pair },
        { currency: "USD", commissionCurrency: "USD", ...pair },
      ],
    ),
  ).toEqual([
    { currency: "EUR", sales: 1, commissionCents: 0, hasCommissions: false },
    { currency: "MONTHS", sales: 0, commissionCents: 4, hasCommissions: true },
    { currency: "USD", sales: 2, commissionCents: 2, hasCommissions: true },
  ]);
});
