import { expect, it } from "vitest";
import { noTerms } from "#domain/commission.ts";
import type { Tiers } from "#domain/tiers.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld } from "../../harness/world.ts";
import { countingDatabase } from "../support/counting-database.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { lastMonth, period } from "../support/last-month.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ledgerOn } from "../support/own-ledger.ts";
import { day, daysAgo } from "../support/program-fixture.ts";
import { anna, ben, openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

const from11: Tiers = { metric: "sales", period: "month", steps: [{ threshold: 11, rateBps: 2_500 }] };
const from3: Tiers = { metric: "sales", period: "month", steps: [{ threshold: 3, rateBps: 2_500 }] };
const longAgo = { effectiveFrom: daysAgo(500), createdAt: daysAgo(500) };

const daysSince = (at: number) => Math.ceil((daysAgo(0) - at) / day);

async function openTiered(tiers: Tiers | null, policy: object = {}) {
  const shop = await openShop(own.server.url, { policies: [{ ...longAgo, rateBps: 2_000, tiers, ...policy }] });
  await shop.refer(ben, daysSince(lastMonth) + 5);
  const sellIn = (transactionId: string, at: number, more = {}) =>
    shop.sale(transactionId, at, { amountCents: 4_900, ...more });
  const earnedBy = async (transactionId: string) => (await shop.books())[transactionId]?.[3];
  const steps = async () =>
    (
      await shop.world.rows(
        "select period, threshold, count from tier_steps where program_id = ? order by number",
        shop.world.programId,
      )
    ).map(({ period, threshold, count }) => [period, threshold, count]);
  const settle = async () => {
    for (let runs = 0; runs < 3; runs += 1) await shop.maintain();
  };
  /** Records a sale, and returns its commission. */
  const sold = async (transactionId: string, at = lastMonth, more = {}) =>
    (await sellIn(transactionId, at, more)).commission.amountCents;
  return { ...shop, sold, earnedBy, steps, settle };
}

it("the 11th sale of a month earns the rate of a tier step at 11 sales, refunds end the step for later sales, and the next month starts at 0", async () => {
  const { sold, earnedBy, refund, settle, steps, consistent } = await openTiered(from11);
  for (let n = 1; n <= 10; n += 1) expect(await sold(`t${n}`)).toBe(980);
  await settle();
  expect(await sold("t11")).toBe(1_225);
  await refund("t3", "rest");
  await refund("t4", "rest");
  await settle();
  expect(await earnedBy("t11")).toBe(1_225);
  expect(await sold("t12")).toBe(980);
  await settle();
  expect(await sold("t13")).toBe(1_225);
  expect(await sold("december", daysAgo(0))).toBe(980);
  expect(await steps()).toEqual([
    [period, 11, 10],
    [period, 0, 9],
    [period, 11, 10],
  ]);
  await consistent();
});

it("a sale earns the policy's own rate until the partner's tier step is stored", async () => {
  const { sold, settle, consistent } = await openTiered(from3);
  for (const id of ["t1", "t2", "t3", "t4"]) expect(await sold(id)).toBe(980);
  await settle();
  expect(await sold("t5")).toBe(1_225);
  await consistent();
});

it("a partner's next sale has no tier step after all of the partner's sales are refunded", async () => {
  const { sold, refund, settle, steps, consistent } = await openTiered(from3);
  for (const id of ["t1", "t2"]) await sold(id);
  await settle();
  expect(await sold("t3")).toBe(1_225);
  for (const id of ["t1", "t2", "t3"]) await refund(id, "rest");
  await settle();
  expect(await sold("t4")).toBe(980);
  expect(await steps()).toEqual([
    [period, 3, 2],
    [period, 0, 0],
  ]);
  await consistent();
});

it("a corrected sale keeps its tier step, or stays without a tier step", async () => {
  const { sold, correct, settle, refund, books, consistent } = await openTiered(from3);
  for (const id of ["t1", "t2"]) await sold(id);
  await settle();
  await sold("t3");
  await correct("t1", { amountCents: 9_800 });
  await refund("t2", "rest");
  await refund("t1~1", "rest");
  await settle();
  await correct("t3", { amountCents: 9_800 });
  expect(await books()).toMatchObject({
    "t1~1": ["ben", "click", "reversed", 0],
    "t3~1": ["ben", "click", expect.any(String), 2_450],
  });
  await consistent();
});

it("a corrected sale that gets a partner only later has the tier step that the partner has reached by then", async () => {
  const { world, sold, correct, change, settle, refund, books, consistent } = await openTiered(from3);
  for (const id of ["t1", "t2", "t3", "t4"]) expect(await sold(id)).toBe(980);
  await refund("t2", "amount", { cents: 900, refundId: "r" });
  await settle();
  for (const id of ["t1", "t2"]) await correct(id, { customerKey: "c9" });
  const withoutPartner = [null, expect.any(String), "void", 0];
  expect(await books()).toMatchObject({ "t1~1": withoutPartner, "t2~1": withoutPartner });
  const assigned = { customerKey: "c9", partnerId: world.partners[ben]?.id, since: lastMonth, payPast: true };
  await change({ kind: "assign-customer", ...assigned, reason: "on the phone" } as Parameters<typeof change>[0]);
  expect(await books()).toMatchObject({
    "t1~1": ["ben", "person", expect.any(String), 1_225],
    "t2~1": ["ben", "person", expect.any(String), 1_000],
  });
  await consistent();
});

it("tiers by revenue count the full amounts of sales in the program's currency, even after partial refunds", async () => {
  const tiers: Tiers = { metric: "revenue", period: "quarter", steps: [{ threshold: 14_700, rateBps: 3_000 }] };
  const { sold, refund, settle, steps, consistent } = await openTiered(tiers);
  for (const id of ["t1", "t2"]) await sold(id);
  await sold("foreign", lastMonth, { currency: "USD", amountCents: 100_000 });
  await refund("t1", "amount", { cents: 1_000, refundId: "r" });
  await settle();
  expect(await sold("t3")).toBe(980);
  await settle();
  expect(await sold("t4")).toBe(1_470);
  expect(await steps()).toMatchObject([[expect.stringMatching(/-Q[1-4]$/), 14_700, 14_700]]);
  await consistent();
});

it("a tier step of a flat policy replaces the policy's amount, but not the amount of a rule", async () => {
  const tiers: Tiers = { metric: "sales", period: "year", steps: [{ threshold: 2, amountCents: 700 }] };
  const flat = { type: "flat", rateBps: null, amountCents: 500, currency: "EUR" };
  const rules = [{ when: { productIds: ["gift"] }, amountCents: 5 }];
  const { sold, settle, consistent } = await openTiered(tiers, { ...flat, rules });
  expect(await sold("t1", daysAgo(0))).toBe(500);
  await settle();
  expect(await sold("t2", daysAgo(0))).toBe(700);
  expect(await sold("t3", daysAgo(0), { productId: "gift" })).toBe(5);
  await consistent();
});

it("a sale that moves to another partner gets the tier step that this partner has reached by then", async () => {
  const { world, sale, sell, lead, click, settle, books, consistent } = await openTiered(from3);
  await lead("browser", [click(anna, 10)], "c2", { occurredAt: daysAgo(0), programId: world.programId });
  const today = { customerKey: "c2", amountCents: 4_900 };
  await sale("moving", daysAgo(0), today);
  for (const id of ["b1", "b2"]) await sell(id, 0);
  await settle();
  await lead("key", [click(ben, 9)], "c2", { occurredAt: daysAgo(0) });
  expect(await books()).toMatchObject({
    moving: ["ben", "click", "pending", 1_225],
    b1: ["ben", "click", "pending", 980],
  });
  await consistent();
});

const newPolicy = {
  ...noTerms,
  type: "percent",
  rateBps: 1_000,
  scope: "lifetime",
  holdDays: 15,
  partnerId: null,
} as const;

it("sales under a new policy version have no tier step until the counts have been compared with the new thresholds", async () => {
  const { sell, change, settle, earnedBy, consistent } = await openTiered(from3);
  for (const id of ["t1", "t2"]) await sell(id, 0);
  await settle();
  await sell("t3", 0);
  const tiers: Tiers = { ...from3, steps: [{ threshold: 2, rateBps: 3_000 }] };
  await change({ kind: "set-policy", policy: { ...newPolicy, tiers } });
  await sell("t4", 0);
  await settle();
  await sell("t5", 0);
  expect([await earnedBy("t3"), await earnedBy("t4"), await earnedBy("t5")]).toEqual([1_225, 490, 1_470]);
  await consistent();
});

it("sales from before a program's first policy with tiers are counted page by page", async () => {
  const { sell, change, settle, steps, consistent } = await openTiered(null);
  for (let n = 0; n < 12; n += 1) await sell(`t${n}`, 0);
  await change({ kind: "set-policy", policy: { ...newPolicy, tiers: from11 } });
  await settle();
  expect(await steps()).toMatchObject([[expect.anything(), 11, 12]]);
  await consistent();
});

/** The database requests of a sale and a refund, once the Ledger has cached the program's settings. */
async function costOf(policy: object) {
  const { database, counted } = countingDatabase(databaseAt(own.server.url));
  const clock = { now: () => daysAgo(0), sleep: async () => {}, random: () => 0.5 };
  const ledger = ledgerOn(database, clock);
  const world = await createWorld(own.server.url, { policies: [{ ...longAgo, ...policy }] });
  const calls = callsOf(world, ledger);
  await calls.lead("key", [calls.click(world.partner, daysAgo(9))]);
  for (let n = 0; n < 4; n += 1) await calls.sale(`warm ${n}`, daysAgo(0));
  for (let runs = 0; runs < 3; runs += 1) await calls.maintain();
  await calls.sale("warm", daysAgo(0));
  counted.length = 0;
  const { commission } = await calls.sale("t", daysAgo(0));
  await calls.refund("t", "rest");
  const requests = counted.map(({ mode, statements, rows }) => ({ mode, statements, rows }));
  return { earned: commission.amountCents, requests };
}

it("a sale needs the same database requests and statements with tiers as without", async () => {
  const [without, reached] = [await costOf({ rateBps: 1_000 }), await costOf({ rateBps: 1_000, tiers: from3 })];
  expect([without.earned, reached.earned]).toEqual([100, 250]);
  expect(reached.requests).toEqual(without.requests);
});

it("a program without tiers has no rows in the tables of tiers", async () => {
  const { world, sold, settle } = await openTiered(null);
  for (const id of ["t1", "t2", "t3"]) await sold(id);
  await settle();
  for (const table of ["tier_books", "tier_counts", "tier_steps"]) {
    expect(await world.rows(`select * from ${table} where program_id = ?`, world.programId)).toEqual([]);
  }
});

it("tiers that no partner reaches don't change ledger entries", async () => {
  const entriesWith = async (tiers: Tiers | null) => {
    const { world, sold, refund, correct, settle } = await openTiered(tiers);
    for (const id of ["t1", "t2", "t3"]) await sold(id);
    await settle();
    await refund("t1", "amount", { cents: 900, refundId: "r" });
    await correct("t2", { amountCents: 9_800 });
    await settle();
    return world.rows(
      "select kind, amount_cents, day from ledger_entries where program_id = ? order by id",
      world.programId,
    );
  };
  expect(await entriesWith(from11)).toEqual(await entriesWith(null));
});
