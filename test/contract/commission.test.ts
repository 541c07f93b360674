import { describe, expect, it } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { at, day, daysAgo } from "../support/program-fixture.ts";
import { createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";

type Policies = NonNullable<WorldSettings["policies"]>;
const euros = { currency: "EUR" } as const;

/** Sells to a customer of Alice on each of these days. Returns each commission's amount, or the reason for none. */
async function earnedBy(shop: SalesFixture, salesDaysAgo: readonly number[]): Promise<(number | string)[]> {
  const earned = [];
  for (const days of salesDaysAgo) {
    const { commission } = (await shop.sell({ occurred_at: at(daysAgo(days)) })).body;
    earned.push(commission.reason ?? commission.amount_cents);
  }
  return earned;
}

async function referredShop(settings: WorldSettings): Promise<SalesFixture> {
  const shop = await createSalesFixture({ ...settings, program: { attributionWindowDays: 365 } });
  await shop.refer("c1", { clickAt: daysAgo(301) });
  return shop;
}

describe("the policy of a sale", () => {
  const program: Policies = [
    { rateBps: 1_000, effectiveFrom: daysAgo(100) },
    { rateBps: 2_000, effectiveFrom: daysAgo(50) },
  ];
  const ends = (days: number): Policies => [{ type: "none", effectiveFrom: daysAgo(days) }];
  const own: Policies = [{ type: "flat", amountCents: 7, ...euros, effectiveFrom: daysAgo(70) }];

  it.each<[string, Policies, Policies, salesDaysAgo: number[], earned: (number | string)[]]>([
    ["is the version in force when it happened", program, [], [99, 51, 50, 1], [100, 100, 200, 200]],
    ["is the first version for older sales", program, [], [300, 101], [100, 100]],
    [
      "is none once the partner's own policy has ended it",
      [...program, ...ends(10)],
      [],
      [11, 10, 1],
      [200, "no_commission_policy", "no_commission_policy"],
    ],
    ["is the partner's own while there is one", program, [...own, ...ends(20)], [71, 70, 21, 20], [100, 7, 7, 200]],
    ["is the partner's own even if the program's has ended", [...program, ...ends(40)], own, [71, 65, 1], [100, 7, 7]],
    ["is the partner's own even if the program has none", [], own, [300, 1], [7, 7]],
  ])("the policy of a sale %s", async (_what, policies, mine, salesDaysAgo, earned) => {
    const shop = await referredShop({ policies, partners: [{ policies: mine }, {}] });
    expect(await earnedBy(shop, salesDaysAgo)).toEqual(earned);
  });

  it("a partner's own policy replaces the program's policy entirely, and other partners keep the program's policy", async () => {
    const limited = {
      rateBps: 5_000,
      maxCommissionCents: 10,
      minSaleCents: 900,
      ...euros,
      holdDays: 90,
      scope: "one_time",
    } as const;
    const shop = await createSalesFixture({ policies: [limited], partners: [{ policies: [{ rateBps: 1_000 }] }, {}] });
    const sell = async (customer_key: string, amount_cents: number) =>
      (await shop.sell({ customer_key, amount_cents, occurred_at: at(daysAgo(1)) })).body.commission;
    await shop.refer("alice's", { partner: shop.alice, clickAt: daysAgo(2) });
    await shop.refer("bob's", { partner: shop.bob, clickAt: daysAgo(2) });
    const hold = (days: number) => ({ hold_until: at(daysAgo(1) + days * day) });
    expect(await sell("alice's", 500)).toMatchObject({ amount_cents: 50, ...hold(15) });
    expect(await sell("alice's", 500)).toMatchObject({ amount_cents: 50 });
    expect(await sell("bob's", 500)).toMatchObject({ reason: "below_minimum" });
    expect(await sell("bob's", 1_000)).toMatchObject({ amount_cents: 10, ...hold(90) });
    expect(await sell("bob's", 1_000)).toMatchObject({ reason: "recurring_not_covered" });
  });
});

describe("the scope of a policy", () => {
  it.each<[string, Policies, salesDaysAgo: number[], earned: (number | string)[]]>([
    [
      "one_time covers the customer's first sale with a commission due",
      [{ scope: "one_time" }],
      [300, 299, 0],
      [200, "recurring_not_covered", "recurring_not_covered"],
    ],
    ["lifetime covers every sale", [{ scope: "lifetime" }], [300, 150, 0], [200, 200, 200]],
    [
      "recurring covers sales within a number of months after the first",
      [{ scope: "recurring", durationMonths: 3 }],
      [300, 220, 200, 0],
      [200, 200, "commission_duration_over", "commission_duration_over"],
    ],
  ])("the policy scope %s", async (_what, policies, salesDaysAgo, earned) => {
    const shop = await referredShop({ policies });
    expect(await earnedBy(shop, salesDaysAgo)).toEqual(earned);
  });

  it("a recurring policy of one month covers sales from October 31 to November 30 at the same time of day in UTC, including the last instant", async () => {
    const shop = await createSalesFixture({ policies: [{ scope: "recurring", durationMonths: 1 }] });
    // The latest October 31 whose following month is over. One month later is November 30.
    const isOver = (year: number) => Date.UTC(year, 11, 1) < Date.now();
    const thisYear = new Date().getUTCFullYear();
    const year = isOver(thisYear) ? thisYear : thisYear - 1;
    const first = Date.UTC(year, 9, 31, 22, 30);
    const end = Date.UTC(year, 10, 30, 22, 30);
    await shop.refer("c1", { clickAt: first - day });
    const earned = [];
    for (const instant of [first, end, end + 1])
      earned.push((await shop.sell({ occurred_at: at(instant) })).body.commission.reason);
    expect(earned).toEqual([undefined, undefined, "commission_duration_over"]);
  });
});

describe("the amount of a commission", () => {
  it.each<[string, Policies[number], sale: number, currency: string, earned: number | string]>([
    ["a percentage", { rateBps: 1_234 }, 10_000, "EUR", 1_234],
    ["rounded up at half a cent", { rateBps: 1_000 }, 25, "EUR", 3],
    ["rounded down below half a cent", { rateBps: 1_000 }, 24, "EUR", 2],
    ["earned even if it is rounded to 0", { rateBps: 1_000 }, 4, "EUR", 0],
    ["exact even if the product exceeds 2^53", { rateBps: 3_333 }, 99_999_999_999, "EUR", 33_330_000_000],
    ["the whole largest sale at 100 %", { rateBps: 10_000 }, 10 ** 11, "EUR", 10 ** 11],
    ["flat, whatever the sale's amount", { type: "flat", amountCents: 500, ...euros }, 1, "EUR", 500],
    ["a percentage of any currency", { rateBps: 1_000 }, 5_000, "JPY", 500],
    ["a plain percentage, even if the policy names a currency", { rateBps: 1_000, ...euros }, 5_000, "JPY", 500],
    ["flat, only in its own currency", { type: "flat", amountCents: 500, ...euros }, 1, "JPY", "currency_mismatch"],
    ["capped", { rateBps: 5_000, maxCommissionCents: 100, ...euros }, 1_000, "EUR", 100],
    ["not capped at exactly the maximum", { rateBps: 1_000, maxCommissionCents: 100, ...euros }, 1_000, "EUR", 100],
    ["flat and capped", { type: "flat", amountCents: 500, maxCommissionCents: 300, ...euros }, 1, "EUR", 300],
    ["capped only in its own currency", { maxCommissionCents: 100, ...euros }, 1_000, "USD", "currency_mismatch"],
    ["earned at exactly the minimum", { rateBps: 1_000, minSaleCents: 1_000, ...euros }, 1_000, "EUR", 100],
    ["nothing below the minimum", { rateBps: 1_000, minSaleCents: 1_000, ...euros }, 999, "EUR", "below_minimum"],
    ["subject to a minimum only in its own currency", { minSaleCents: 1, ...euros }, 1_000, "USD", "currency_mismatch"],
  ])("the amount of a commission is %s", async (_what, policy, amount_cents, currency, earned) => {
    const shop = await createSalesFixture({ policies: [policy] });
    await shop.refer("c1");
    const { body } = await shop.sell({ amount_cents, currency });
    expect(body.commission.currency).toBe(currency);
    expect(body.commission.reason ?? body.commission.amount_cents).toBe(earned);
    const entries = await shop.entries(body.commission_id);
    expect(entries).toEqual(typeof earned === "number" ? [["earned", earned]] : []);
  });
});
