import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commissionFor, commissionLeft, type EarningSale, noTerms, type Policy } from "#domain/commission.ts";
import { itemsOf, type SaleItem, scaledItems } from "#domain/items.ts";
import type { Rule } from "#domain/rules.ts";

const at = Date.parse;

const policy: Policy = {
  ...noTerms,
  ...{ id: 1, version: 1, partnerId: null, type: "percent", rateBps: 2_000, scope: "lifetime" },
  ...{ holdDays: 15, effectiveFrom: 0 },
};

const item = (productId: string, amountCents: number, quantity = 1): SaleItem => ({
  ...{ itemId: productId, productId, amountCents, quantity },
});

function earned(terms: Partial<Policy>, items: readonly SaleItem[], sale: Partial<EarningSale> = {}): number | string {
  const earning = commissionFor(
    { ...policy, ...terms },
    {
      ...{ amountCents: items.reduce((sum, { amountCents }) => sum + amountCents, 0), currency: "EUR", items },
      ...{ occurredAt: at("2026-01-10T12:00:00Z"), firstAttributedSaleAt: undefined, interval: null },
      ...{ isRecurring: false, isOneTimeTaken: false, hasCoupon: false, partnerActive: true, programActive: true },
      ...sale,
    },
  );
  return earning.due ? earning.amountCents : earning.reason;
}

const only = (productId: string, rule: Omit<Rule, "when">): Rule => ({ when: { productIds: [productId] }, ...rule });

describe("the items of a sale", () => {
  it("the items of a sale each earn by the first rule that covers them", () => {
    const rules = [only("b", { rateBps: 1_000 }), only("b", { rateBps: 9_000 })];
    expect(earned({ rules }, [item("a", 3_000), item("b", 1_900)])).toBe(790);
  });

  it("the items of a sale together earn at most the maximum", () => {
    const terms = { rules: [only("b", { rateBps: 1_000 })], maxCommissionCents: 500, currency: "EUR" };
    expect(earned(terms, [item("a", 3_000), item("b", 1_900)])).toBe(500);
  });

  it("the items of a sale earn nothing if a rule excludes them, and the sale earns nothing if all of its items are excluded", () => {
    const rules = [only("gift", { excluded: true })];
    expect(earned({ rules }, [item("a", 3_000), item("gift", 1_900)])).toBe(600);
    expect(earned({ rules }, [item("gift", 1_900)])).toBe("excluded_by_rule");
  });

  it("the items of a sale stay excluded even if the sale has a free item, unless a rule pays an amount for the free item", () => {
    const items = [item("gift", 1_900), item("shipping", 0)];
    const rules = [only("gift", { excluded: true })];
    expect(earned({ rules }, items)).toBe("excluded_by_rule");
    expect(earned({ rules, type: "flat", amountCents: 1_000, currency: "EUR" }, items)).toBe("excluded_by_rule");
    expect(earned({ rules: [...rules, only("shipping", { amountCents: 50 })], currency: "EUR" }, items)).toBe(50);
  });

  it("the items of a sale are rounded together if the same rule covers them", () => {
    const items = ["a", "b", "c"].map((id) => item(id, 33));
    expect(earned({}, items)).toBe(20);
    expect(earned({ rules: [{ when: {}, rateBps: 2_000 }] }, items)).toBe(20);
  });

  it("the items of a sale earn a rule's amount per unit, and a policy's own amount once", () => {
    const rules = [only("b", { amountCents: 500 })];
    expect(earned({ rules, currency: "EUR" }, [item("a", 3_000), item("b", 1_900, 3)])).toBe(600 + 1_500);
    const flat = { type: "flat", rateBps: null, amountCents: 700, currency: "EUR" } as const;
    expect(earned(flat, [item("a", 3_000, 2), item("b", 1_900)])).toBe(700);
    expect(earned({ ...flat, rules }, [item("a", 3_000, 2), item("b", 1_900)])).toBe(1_200);
  });

  it("the items of a sale require the policy's currency only if a limit, or a rule that covers one of the items, has an amount", () => {
    const rules = [only("ebook", { amountCents: 500 })];
    const dollars = { currency: "USD" };
    expect(earned({ rules, currency: "EUR" }, [item("a", 4_900)], dollars)).toBe(980);
    expect(earned({ rules, currency: "EUR" }, [item("a", 4_900), item("ebook", 100)], dollars)).toBe(
      "currency_mismatch",
    );
    expect(earned({ rules, currency: "EUR", maxCommissionCents: 9 }, [item("a", 4_900)], dollars)).toBe(
      "currency_mismatch",
    );
  });

  it("the items of a sale all lose the same share of the commission in a refund, because it reduces the whole commission", () => {
    expect(commissionLeft(790, 4_900, 3_000)).toBe(306);
    expect(commissionLeft(600, 4_900, 1_900)).toBe(367);
  });
});

describe("a rule", () => {
  const sold = [item("a", 4_900)];

  it("a rule applies within the rule's number of months after the customer's first sale", () => {
    const rules = [{ when: { withinMonths: 12 }, rateBps: 5_000 }];
    const first = at("2026-01-10T12:00:00Z");
    expect(earned({ rules }, sold)).toBe(2_450);
    const later = (occurredAt: string) =>
      earned({ rules }, sold, { occurredAt: at(occurredAt), firstAttributedSaleAt: first });
    expect(later("2026-12-10T12:00:00Z")).toBe(2_450);
    expect(later("2027-01-10T12:00:00Z")).toBe(2_450);
    expect(later("2027-01-10T12:00:00.001Z")).toBe(980);
    expect(later("2027-03-10T12:00:00Z")).toBe(980);
  });

  it("a rule can apply only to subscriptions with a certain interval", () => {
    const terms = { rateBps: 1_500, rules: [{ when: { interval: "annual" }, rateBps: 1_000 }] } as const;
    expect(earned(terms, sold, { interval: "monthly" })).toBe(735);
    expect(earned(terms, sold)).toBe(735);
    expect(earned(terms, [item("a", 49_000)], { interval: "annual" })).toBe(4_900);
  });

  it("a rule can apply only to the first sale that earns a commission, or only to all other sales", () => {
    const first = { rateBps: 1_000, rules: [{ when: { isFirst: true }, rateBps: 2_000 }] };
    expect(earned(first, sold)).toBe(980);
    expect(earned(first, sold, { isOneTimeTaken: true })).toBe(490);
    const others = { rateBps: 1_000, rules: [{ when: { isFirst: false }, rateBps: 2_000 }] };
    expect(earned(others, sold)).toBe(490);
    expect(earned(others, sold, { isOneTimeTaken: true })).toBe(980);
  });

  it("a rule can apply only to renewals, and all other sales then earn by the policy", () => {
    const rules = [{ when: { isRecurring: true }, rateBps: 500 }];
    expect(earned({ rules }, sold, { isRecurring: true })).toBe(245);
    expect(earned({ rules }, sold)).toBe(980);
  });

  it("a rule with several conditions applies only if all of them are met", () => {
    const rules = [{ when: { productIds: ["a"], isRecurring: true }, rateBps: 500 }];
    expect(earned({ rules }, sold)).toBe(980);
    expect(earned({ rules }, [item("b", 4_900)], { isRecurring: true })).toBe(980);
    expect(earned({ rules }, sold, { isRecurring: true })).toBe(245);
  });
});

const someItems = fc
  .array(fc.record({ amountCents: fc.nat(10 ** 9), quantity: fc.integer({ min: 1, max: 10_000 }) }), {
    ...{ minLength: 1, maxLength: 100 },
  })
  .map((parts) => parts.map((part, i): SaleItem => ({ ...part, itemId: String(i), productId: "p" })))
  .filter((parts) => parts.some(({ amountCents }) => amountCents > 0));

it("under a policy without rules, items earn the same as the whole sale", () => {
  fc.assert(
    fc.property(someItems, fc.integer({ min: 0, max: 10_000 }), (items, rateBps) => {
      const whole = item(
        "p",
        items.reduce((sum, { amountCents }) => sum + amountCents, 0),
      );
      expect(earned({ rateBps }, items)).toBe(earned({ rateBps }, [whole]));
    }),
  );
});

it("the items of a corrected sale keep their shares of the sale, and add up to the corrected amount", () => {
  fc.assert(
    fc.property(someItems, fc.integer({ min: 1, max: 10 ** 11 }), (items, corrected) => {
      const amountCents = items.reduce((sum, each) => sum + each.amountCents, 0);
      const sale = { amountCents, productId: null, items: JSON.stringify(items) };
      const scaled = itemsOf({ ...sale, items: scaledItems(sale, corrected) });
      expect(scaled.reduce((sum, each) => sum + each.amountCents, 0)).toBe(corrected);
      for (const [i, each] of scaled.entries()) {
        const exact = ((items[i]?.amountCents ?? 0) * corrected) / amountCents;
        expect(Math.abs(each.amountCents - exact)).toBeLessThanOrEqual(1.001);
      }
    }),
  );
});
