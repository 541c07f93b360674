import { describe, expect, it } from "vitest";
import { noTerms, type Policy } from "#domain/commission.ts";
import { effectiveTiers } from "#domain/effective-rules.ts";
import { commissionText } from "#domain/explain/commission-text.ts";
import { termsText } from "#domain/explain/terms-text.ts";
import type { Rule } from "#domain/rules.ts";

const terms = { ...noTerms, type: "percent", rateBps: 2_000, scope: "lifetime" } as const;

const said = (more: Partial<Policy>): string | null => commissionText({ ...terms, ...more });
const ruled = (...rules: Rule[]): string | undefined =>
  said({ rules, currency: "EUR" })?.replace(/^20% of each sale; /, "");

const pro: Rule = { when: { productIds: ["pro"] }, rateBps: 1_000 };
const gift: Rule = { when: { productIds: ["gift"] }, excluded: true };
const year: Rule = { when: { withinMonths: 12 }, rateBps: 5_000 };

describe("the description of a commission", () => {
  it("the description of a commission lists the policy's own terms first, then its rules", () => {
    expect(said({})).toBe("20% of each sale");
    expect(said({ rules: [pro, gift] })).toBe("20% of each sale; 10% on pro; nothing on gift");
  });

  it("the description of a commission adds a bonus so that it applies to the whole text, and not only to the last clause", () => {
    const bonus = { metric: "sales", threshold: 5, salesCurrency: null, amountCents: 5_000, currency: "EUR" } as const;
    const bonuses = [{ ...bonus, period: "month", unit: null } as const];
    expect(termsText(terms, bonuses)).toBe("20% of each sale, plus a bonus of €50.00 for 5 sales a month");
    expect(termsText({ ...terms, rules: [pro] }, bonuses)).toBe(
      "20% of each sale; 10% on pro; plus a bonus of €50.00 for 5 sales a month",
    );
    expect(termsText({ ...terms, type: "none" }, bonuses)).toBeNull();
  });

  it("the description of a commission lists the tiers after the policy's own rate or amount, such as an amount in free months", () => {
    const steps = [
      { threshold: 11, rateBps: 2_500 },
      { threshold: 51, rateBps: 3_000 },
    ];
    expect(said({ tiers: { metric: "sales", period: "month", steps } })).toBe(
      "20% of each sale, 25% from sale 11 in a month, 30% from sale 51",
    );
    const tiers = { metric: "revenue", period: "year", steps: [{ threshold: 100_000, amountCents: 2 }] } as const;
    const unit = { code: "MONTHS", digits: 0, one: "free month", other: "free months" };
    expect(said({ type: "flat", amountCents: 1, unit, currency: "EUR", tiers })).toBe(
      "1 free month for each sale, 2 free months from €1,000.00 of sales in a year",
    );
  });

  it("the description of a commission states which of two overlapping rules applies", () => {
    expect(ruled(gift, pro, year)).toBe("nothing on gift; 10% on pro, else 50% in the first 12 months");
    const first: Rule = { when: { isFirst: true }, rateBps: 3_000 };
    expect(ruled(first, { when: { isFirst: false, interval: "annual" }, rateBps: 500 })).toBe(
      "30% on a customer's first sale; 5% on later sales (annual subscriptions only)",
    );
  });

  it("the description of a commission omits rules that never apply because an earlier rule has no conditions", () => {
    expect(said({ rules: [pro, { when: {}, rateBps: 3_000 }, year] })).toBe("30% of each sale; 10% on pro");
    expect(said({ rules: [{ when: {}, rateBps: 3_000 }], scope: "one_time" })).toBe("30% of a customer's first sale");
    expect(said({ rules: [pro, { when: {}, excluded: true }, year] })).toBe("10% on pro, else nothing");
    expect(said({ rules: [{ when: {}, amountCents: 500 }], currency: "EUR", scope: "one_time" })).toBe(
      "€5.00 for each item; only for a customer's first sale; only for sales in EUR",
    );
  });

  it("the description of a commission for a customer's first sale omits rules for renewals and later sales", () => {
    const renewals: Rule = { when: { isRecurring: true }, rateBps: 750 };
    const later: Rule = { when: { isFirst: false }, rateBps: 500 };
    expect(said({ scope: "one_time", rules: [renewals, later] })).toBe("20% of a customer's first sale");
    expect(said({ scope: "one_time", rules: [renewals, pro] })).toBe(
      "20% of a customer's first sale; 10% on pro; nothing on later sales",
    );
    expect(said({ rules: [renewals, later] })).toBe("20% of each sale; 7.5% on renewals, else 5% on later sales");
  });

  it("the description of a commission omits conditions that its scope implies", () => {
    const scope = { scope: "recurring", durationMonths: 6 } as const;
    expect(said({ ...scope, rules: [year] })).toBe("50% of each sale in the 6 months after a customer's first one");
    expect(said({ ...scope, rules: [{ when: { productIds: ["pro"], withinMonths: 6 }, rateBps: 1_000 }] })).toBe(
      "20% of each sale in the 6 months after a customer's first one; 10% on pro; nothing on later sales",
    );
    expect(said({ ...scope, rules: [{ when: { withinMonths: 3 }, rateBps: 1_000 }] })).toBe(
      "20% of each sale in the 6 months after a customer's first one; 10% in the first 3 months; nothing on later sales",
    );
    const first: Rule = { when: { isFirst: true, isRecurring: false }, rateBps: 3_000 };
    expect(said({ scope: "one_time", rules: [first] })).toBe("30% of a customer's first sale");
    expect(said({ scope: "recurring", durationMonths: 1 })).toBe(
      "20% of each sale in the month after a customer's first one",
    );
  });

  it.each<[string, Rule["when"], Rule["when"]]>([
    ["on renewals; 15% on sales other than renewals", { isRecurring: true }, { isRecurring: false }],
    ["on a customer's first sale; 15% on later sales", { isFirst: true }, { isFirst: false }],
    ["on sales with a coupon; 15% on sales without a coupon", { coupon: true }, { coupon: false }],
  ])(
    "the description of a commission omits the policy's own terms and tiers if its rules cover all sales: 5%% %s",
    (words, one, other) => {
      const rules = [
        { when: one, rateBps: 500 },
        { when: other, rateBps: 1_500 },
      ];
      const tiers = { metric: "sales", period: "month", steps: [{ threshold: 3, rateBps: 2_500 }] } as const;
      expect(said({ rules, tiers })).toBe(`5% ${words}`);
      expect(said({ rules: rules.slice(1), tiers })).toMatch(/^20% of each sale, 25% from sale 3 in a month; 15% /);
      expect(effectiveTiers({ ...terms, rules, tiers })).toBeNull();
      expect(effectiveTiers({ ...terms, rules: rules.slice(1), tiers })).toBe(tiers);
    },
  );

  it("the description of a commission is null if a rule excludes everything", () => {
    expect(said({ rules: [gift, { when: {}, excluded: true }] })).toBeNull();
  });

  it.each<[string, Rule["when"]]>([
    ["on pro, team and basic", { productIds: ["pro", "team", "basic"] }],
    ["on a, b, c, d, e and 2 more products", { productIds: [..."abcdefg"] }],
    ["on a, b, c, d, e and 1 more product", { productIds: [..."abcdef"] }],
    ['on "Pro, annual" and "the \\"best\\""', { productIds: ["Pro, annual", 'the "best"'] }],
    ["on a customer's first sale", { isFirst: true }],
    ["on later sales", { isFirst: false }],
    ["on renewals", { isRecurring: true }],
    ["on sales other than renewals", { isRecurring: false }],
    ["on annual subscriptions", { interval: "annual" }],
    ["on monthly renewals", { interval: "monthly", isRecurring: true }],
    ["on quarterly subscriptions other than renewals", { interval: "quarterly", isRecurring: false }],
    ["on a customer's first sale (renewals only)", { isFirst: true, isRecurring: true }],
    ["in the first month", { withinMonths: 1 }],
    ["on pro in renewals in the first 6 months", { productIds: ["pro"], isRecurring: true, withinMonths: 6 }],
  ])("the description of a commission describes the condition of a rule: %s", (words, when) => {
    expect(ruled({ when, rateBps: 1_250 })).toBe(`12.5% ${words}`);
    expect(ruled({ when, excluded: true })).toBe(`nothing ${words}`);
  });

  it.each<[string, Rule["when"]]>([
    ["ebook or map", { productIds: ["ebook", "map"] }],
    ["item in renewals in the first 3 months", { isRecurring: true, withinMonths: 3 }],
    ["ebook in a customer's first sale", { productIds: ["ebook"], isFirst: true }],
  ])("the description of a commission states a rule's amount for each %s", (words, when) => {
    expect(ruled({ when, amountCents: 500 })).toMatch(`€5.00 for each ${words};`);
  });

  it("the description of a commission ends with the policy's limits, which apply to the rules too", () => {
    const limits = { minSaleCents: 1_000, maxCommissionCents: 500, currency: "EUR" };
    expect(said(limits)).toBe(
      "20% of each sale; nothing on sales below €10.00; at most €5.00 for a sale; only for sales in EUR",
    );
    expect(said({ ...limits, scope: "one_time", rules: [pro] })).toBe(
      "20% of a customer's first sale; 10% on pro; nothing on later sales; nothing on sales below €10.00; at most €5.00 for a sale; only for sales in EUR",
    );
  });

  it("the description of a commission states in which currency sales must be to earn", () => {
    const fixed = { type: "flat", amountCents: 500, currency: "EUR" } as const;
    const ebook: Rule = { when: { productIds: ["ebook"] }, amountCents: 300 };
    expect(said(fixed)).toBe("€5.00 for each sale; only for sales in EUR");
    expect(said({ ...fixed, rules: [ebook] })).toBe(
      "€3.00 for each ebook; €5.00 for each sale, if it has other items; only for sales in EUR",
    );
    for (const policy of [
      { ...fixed, rules: [pro] },
      { currency: "EUR", rules: [ebook] },
    ])
      expect(said(policy)).toMatch(/; sales with a fixed commission earn nothing in currencies other than EUR$/);
    expect(said({ currency: "EUR", rules: [pro] })).not.toMatch(/EUR/);
    const unit = { code: "MONTHS", digits: 0, one: "free month", other: "free months" };
    expect(said({ ...fixed, amountCents: 1, unit })).toBe("1 free month for each sale");
    expect(said({ ...fixed, amountCents: 1, unit, minSaleCents: 500 })).toBe(
      "1 free month for each sale; nothing on sales below €5.00; only for sales in EUR",
    );
  });

  it("the description of a commission omits the names of rules, and escapes characters that reverse text", () => {
    expect(ruled({ ...pro, label: "Low margin" })).toBe("10% on pro");
    expect(ruled({ when: { productIds: ["a\u202eb"] }, rateBps: 100 })).toBe('1% on "a\\u{202e}b"');
  });
});
