import { describe, expect, it } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { allAtOnce, createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const covered = { status: "pending", amount_cents: 200 };
const uncovered = { status: "void", reason: "recurring_not_covered", amount_cents: 0 };

async function referred(settings: WorldSettings = {}): Promise<SalesFixture> {
  const shop = await createSalesFixture({ policies: [{ scope: "one_time" }], members: people.members(), ...settings });
  await shop.refer("c1", { clickAt: daysAgo(30) });
  return shop;
}
const sell = async ({ sell }: SalesFixture, transaction_id: string, body = {}) =>
  (await sell({ transaction_id, ...body })).body;
const isCovered = async (shop: SalesFixture, transactionId: string) =>
  (await sell(shop, transactionId)).commission.status !== "void";

describe("a one_time policy pays the customer's first recorded sale", () => {
  it("a one_time policy pays the sale that was recorded first, even if a sale that happened before it is sent later", async () => {
    const shop = await referred();
    const told = await sell(shop, "told first", { occurred_at: at(daysAgo(5)) });
    const earlier = await sell(shop, "earlier", { occurred_at: at(daysAgo(9)) });
    expect(earlier).toMatchObject({ attributed: true, reason: "recurring_not_covered" });
    expect(await shop.commission(told.commission_id)).toMatchObject(covered);
  });

  it("a one_time policy doesn't pay a renewal, even if the renewal is sent before the first payment", async () => {
    const shop = await referred({ policies: [{ scope: "one_time", rateBps: 1_000 }] });
    const renewal = await sell(shop, "renewal", { amount_cents: 4_900, is_recurring: true });
    expect(renewal).toMatchObject({
      attributed: true,
      reason: "recurring_not_covered",
      commission: { amount_cents: 0 },
    });
    const first = await sell(shop, "first", { amount_cents: 19_900, occurred_at: at(daysAgo(20)) });
    expect(first.commission).toMatchObject({ amount_cents: 1_990 });
    expect(await shop.commission(renewal.commission_id)).toMatchObject(uncovered);
  });

  it("a one_time policy skips sales that earn nothing", async () => {
    const shop = await referred({ policies: [{ scope: "one_time", minSaleCents: 900, currency: "EUR" }] });
    expect(await sell(shop, "too little", { amount_cents: 899 })).toMatchObject({ reason: "below_minimum" });
    expect((await sell(shop, "enough")).commission).toMatchObject(covered);
  });

  it("a one_time policy pays one sale even if several are sent concurrently", async () => {
    const shop = await referred();
    const sales = await allAtOnce(20, (i) => sell(shop, `t${i}`));
    expect(sales.filter(({ commission }) => commission.status === "pending")).toHaveLength(1);
  });
});

describe("a one_time policy pays the earliest of several sales attributed by one lead", () => {
  const tell = async (shop: SalesFixture) => {
    const ids = [];
    for (const days of [5, 20, 10]) {
      ids.push((await sell(shop, `${days} days ago`, { occurred_at: at(daysAgo(days)) })).commission_id);
    }
    return ids;
  };
  const commissions = async (shop: SalesFixture, ids: readonly number[]) =>
    Promise.all(ids.map(async (id) => (await shop.commission(id)).amount_cents));

  it("a one_time policy pays the earliest of several sales attributed by one lead, in whatever order the sales are sent", async () => {
    const shop = await createSalesFixture({ policies: [{ scope: "one_time" }] });
    const ids = await tell(shop);
    await shop.refer("c1", { clickAt: daysAgo(30) });
    expect(await commissions(shop, ids)).toEqual([0, 200, 0]);
  });

  it("a one_time policy pays the earliest sale, attributed by one lead, that wasn't fully refunded", async () => {
    const shop = await createSalesFixture({ policies: [{ scope: "one_time" }] });
    const ids = await tell(shop);
    await shop.giveBack("20 days ago");
    await shop.giveBack("10 days ago", { refund_amount_cents: 500 });
    await shop.refer("c1", { clickAt: daysAgo(30) });
    expect(await commissions(shop, ids)).toEqual([0, 0, 100]);
    expect(await isCovered(shop, "next")).toBe(false);
  });
});

describe("the customer's one_time commission", () => {
  it("the customer's one_time commission becomes available to a later sale if its sale is fully refunded while the commission is pending", async () => {
    const shop = await referred();
    await sell(shop, "first");
    const before = await sell(shop, "before");
    await shop.giveBack("first");
    expect(await shop.commission(before.commission_id)).toMatchObject(uncovered);
    expect((await sell(shop, "after")).commission).toMatchObject(covered);
    expect(await isCovered(shop, "later")).toBe(false);
  });

  it("the customer's one_time commission remains used if its sale is partially refunded", async () => {
    const shop = await referred();
    await sell(shop, "first");
    await shop.giveBack("first", { refund_amount_cents: 999 });
    expect(await isCovered(shop, "next")).toBe(false);
  });

  it("the customer's one_time commission remains used if its sale is refunded after approval", async () => {
    const shop = await referred({ policies: [{ scope: "one_time", holdDays: 0 }] });
    await sell(shop, "first");
    await shop.giveBack("first");
    expect(await isCovered(shop, "next")).toBe(false);
  });

  it("the customer's one_time commission becomes available again if it is approved, then put on hold, and then its sale is refunded", async () => {
    const shop = await referred({ policies: [{ scope: "one_time", holdDays: 0 }] });
    const { commission_id } = await sell(shop, "first");
    const path = `/api/programs/${shop.world.programId}/commissions/${commission_id}/hold`;
    expect((await people.admin.post(path, { reason: "odd address" })).status).toBe(200);
    await shop.giveBack("first", { refund_id: "r" });
    expect((await sell(shop, "second")).commission).toMatchObject({ status: "approved", amount_cents: 200 });
    const canceled = await shop.refund({ transaction_id: "first", refund_id: "r", cancel: true });
    expect(canceled).toMatchObject({ reason: "one_time_used", commission_amount_cents: 0 });
  });

  it("the customer's one_time commission remains used if it is rejected, even if its sale is refunded afterwards", async () => {
    const shop = await referred();
    const { commission_id } = await sell(shop, "first");
    const path = `/api/programs/${shop.world.programId}/commissions/${commission_id}/reject`;
    expect((await people.admin.post(path, { reason: "self-referral" })).status).toBe(200);
    expect(await isCovered(shop, "second")).toBe(false);
    await shop.giveBack("first");
    expect(await isCovered(shop, "third")).toBe(false);
  });

  it("the customer's one_time commission is earned again if its sale's refund is canceled", async () => {
    const shop = await referred();
    const { commission_id } = await sell(shop, "first");
    await shop.giveBack("first", { refund_id: "r" });
    await shop.refund({ transaction_id: "first", refund_id: "r", cancel: true });
    expect(await shop.commission(commission_id)).toMatchObject(covered);
    expect(await isCovered(shop, "next")).toBe(false);
  });

  it("the customer's one_time commission stays with the later sale that earned it if the first sale's refund is canceled", async () => {
    const shop = await referred();
    const { commission_id } = await sell(shop, "first");
    await shop.giveBack("first", { refund_id: "r" });
    const { commission_id: second } = await sell(shop, "second");
    const canceled = await shop.refund({ transaction_id: "first", refund_id: "r", cancel: true });
    expect(canceled).toMatchObject({
      status: "restored",
      reason: "one_time_used",
      refunded_cents: -1_000,
      refunded_total_cents: 0,
      commission_reversed_cents: 0,
      commission_amount_cents: 0,
    });
    expect(await shop.commission(commission_id)).toMatchObject({ amount_cents: 0, initial_cents: 0 });
    expect(await shop.commission(second)).toMatchObject(covered);

    const again = await shop.refund({ transaction_id: "first", refund_amount_cents: 500, refund_id: "r2" });
    expect(again).toMatchObject({
      status: "refunded",
      refunded_cents: 500,
      commission_reversed_cents: 0,
      commission_amount_cents: 0,
    });
    expect(again).not.toHaveProperty("reason");
    // The first sale can't earn the commission again, even if the second sale is refunded.
    await shop.refund({ transaction_id: "second" });
    const late = await shop.refund({ transaction_id: "first", refund_id: "r2", cancel: true });
    expect(late).toMatchObject({ refunded_cents: -500, commission_reversed_cents: 0, commission_amount_cents: 0 });
    await shop.refund({ transaction_id: "first", refund_id: "r3" });
    const last = await shop.refund({ transaction_id: "first", refund_id: "r3", cancel: true });
    expect(last).toMatchObject({ reason: "one_time_used", commission_amount_cents: 0 });
    expect(await shop.commission(commission_id)).toMatchObject({ status: "reversed", amount_cents: 0 });
    expect(await shop.entries(commission_id)).toEqual([
      ["earned", 200],
      ["reversed", -200],
    ]);
    expect(await isCovered(shop, "third")).toBe(true);
  });
});

describe("a recurring policy", () => {
  it("a recurring policy counts its months from the customer's earliest sale, even if it is sent late, and keeps the commissions already earned", async () => {
    const shop = await createSalesFixture({
      program: { attributionWindowDays: 365 },
      policies: [{ scope: "recurring", durationMonths: 3 }],
    });
    await shop.refer("c1", { clickAt: daysAgo(250) });
    const told = await sell(shop, "told first", { occurred_at: at(daysAgo(20)) });
    const earlier = await sell(shop, "earlier", { occurred_at: at(daysAgo(200)) });
    expect(earlier.commission).toMatchObject({ amount_cents: 200 });
    expect(await shop.commission(told.commission_id)).toMatchObject({ status: "approved", amount_cents: 200 });
    expect(await sell(shop, "next")).toMatchObject({ reason: "commission_duration_over" });
  });
});
