import { describe, expect, it } from "vitest";
import type { LeadBody } from "../../harness/client.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { at, day, daysAgo } from "../support/program-fixture.ts";
import { createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";

/** Records sales of one customer on these days, and then the customer's lead, at the time of its click. */
async function leadAfterSales(clickDaysAgo: number, salesDaysAgo: readonly number[], settings?: WorldSettings) {
  const shop = await createSalesFixture(settings);
  const sales = [];
  for (const days of salesDaysAgo) {
    const sale = await shop.sell({ transaction_id: `${days} days ago`, occurred_at: at(daysAgo(days)) });
    expect(sale.body).toMatchObject({ attributed: false, commission: { status: "void" } });
    sales.push(sale.body);
  }
  const click_id = shop.click(shop.alice, daysAgo(clickDaysAgo));
  const lead = await shop.lead({ customer_key: "c1", click_id, occurred_at: at(daysAgo(clickDaysAgo)) });
  return { shop, sales, lead };
}

const idsOf = ({ attributed_sales }: LeadBody) => attributed_sales?.map(({ sale_id }) => sale_id) ?? [];
const amountsOf = (shop: SalesFixture, sales: readonly { commission_id: number }[]) =>
  Promise.all(sales.map(async ({ commission_id }) => (await shop.commission(commission_id)).amount_cents));

describe("a lead sent after the customer's sales", () => {
  it("a lead sent after the customer's sales attributes all of them, and the sales keep their ids", async () => {
    const { shop, sales, lead } = await leadAfterSales(9, [8, 7.999, 2]);
    expect(lead).toMatchObject({ attributed: true, partner_code: shop.alice.code });
    expect(lead.attributed_sales).toEqual(sales.map(({ sale_id, commission_id }) => ({ sale_id, commission_id })));
    for (const { sale_id, commission_id } of sales) {
      const commission = { sale_id, status: "pending", reason: null, initial_cents: 200, amount_cents: 200 };
      expect(await shop.commission(commission_id)).toMatchObject({ ...commission, partner_id: shop.alice.id });
      expect(await shop.entries(commission_id)).toEqual([["earned", 200]]);
    }
    expect(await shop.all("commissions")).toHaveLength(3);
  });

  it("a lead sent after the customer's sales also attributes sales after the attribution window if the first sale is within it", async () => {
    const { sales, lead } = await leadAfterSales(70, [12, 1]);
    expect(idsOf(lead)).toEqual(sales.map(({ sale_id }) => sale_id));
  });

  it("a lead that is sent after the customer's sales, but occurred before them and within the window, also attributes sales after the window", async () => {
    const { sales, lead } = await leadAfterSales(70, [9, 1]);
    expect(idsOf(lead)).toEqual(sales.map(({ sale_id }) => sale_id));
  });

  it.each([
    ["is before the click", "lead", 9, [10, 2]],
    ["is before the click", "first_sale", 9, [10, 2]],
    ["is after the window", "first_sale", 70, [9, 1]],
  ] as const)(
    "a lead sent after the customer's sales attributes no sale if the first sale %s (windowUntil: %s)",
    async (_what, windowUntil, clickDaysAgo, salesDaysAgo) => {
      const { shop, sales, lead } = await leadAfterSales(clickDaysAgo, salesDaysAgo, { program: { windowUntil } });
      expect(idsOf(lead)).toEqual([]);
      expect(await amountsOf(shop, sales)).toEqual([0, 0]);
      expect(await shop.all("ledger_entries")).toEqual([]);
    },
  );

  it("a lead sent after the customer's sales determines the first sale by occurred_at, not by the order of calls", async () => {
    const { lead } = await leadAfterSales(9, [2, 10]);
    expect(idsOf(lead)).toEqual([]);
  });

  it("a lead sent after the customer's sales applies the policy and the hold in force at the time of each sale", async () => {
    const policies = [
      { rateBps: 1_000, holdDays: 5 },
      { rateBps: 3_000, holdDays: 20, effectiveFrom: daysAgo(4) },
    ];
    const { shop, sales } = await leadAfterSales(9, [8, 2], { policies });
    const commissions = await Promise.all(sales.map(({ commission_id }) => shop.commission(commission_id)));
    expect(commissions).toMatchObject([
      { amount_cents: 100, status: "approved", hold_until: daysAgo(8) + 5 * day },
      { amount_cents: 300, status: "pending", hold_until: daysAgo(2) + 20 * day },
    ]);
  });

  it("a lead sent after the customer's sales applies a one_time policy to the sale with the earliest occurred_at", async () => {
    const { shop, sales } = await leadAfterSales(9, [8, 2], { policies: [{ scope: "one_time" }] });
    expect(await amountsOf(shop, sales)).toEqual([200, 0]);
    const [, second] = await Promise.all(sales.map(({ commission_id }) => shop.commission(commission_id)));
    expect(second).toMatchObject({ status: "void", reason: "recurring_not_covered", partner_id: shop.alice.id });
    expect((await shop.sell()).body).toMatchObject({ attributed: true, reason: "recurring_not_covered" });
  });

  it("a lead sent after the customer's sales deducts earlier refunds, each on its own date", async () => {
    const shop = await createSalesFixture();
    const { body } = await shop.sell({ transaction_id: "t", amount_cents: 1_000, occurred_at: at(daysAgo(8)) });
    await shop.giveBack("t", { refund_amount_cents: 333, occurred_at: at(daysAgo(6)) });
    await shop.giveBack("t", { refund_amount_cents: 333, occurred_at: at(daysAgo(5)) });
    await shop.refer("c1", { clickAt: daysAgo(9) });
    expect(await shop.all("ledger_entries")).toMatchObject([
      { kind: "earned", amount_cents: 200, occurred_at: daysAgo(8), day: at(daysAgo(8)).slice(0, 10) },
      { kind: "reversed", amount_cents: -67, occurred_at: daysAgo(6), day: at(daysAgo(6)).slice(0, 10) },
      { kind: "reversed", amount_cents: -66, occurred_at: daysAgo(5), day: at(daysAgo(5)).slice(0, 10) },
    ]);
    expect(await shop.commission(body.commission_id)).toMatchObject({
      status: "pending",
      initial_cents: 200,
      amount_cents: 67,
    });
    expect((await shop.giveBack("t")).body).toMatchObject({ status: "reversed", commission_reversed_cents: 67 });
  });

  it("a lead sent after the customer's sales earns nothing for a sale that was fully refunded before", async () => {
    const shop = await createSalesFixture();
    const { body } = await shop.sell({ transaction_id: "t", occurred_at: at(daysAgo(8)) });
    await shop.giveBack("t");
    await shop.refer("c1", { clickAt: daysAgo(9) });
    expect(await shop.commission(body.commission_id)).toMatchObject({ status: "reversed", amount_cents: 0 });
    expect(await shop.entries(body.commission_id)).toEqual([
      ["earned", 200],
      ["reversed", -200],
    ]);
  });

  it("a later sale with a click attributes the customer's earlier sales, like a lead sent after them", async () => {
    const shop = await createSalesFixture();
    const first = await shop.sell({ occurred_at: at(daysAgo(8)) });
    const second = await shop.sell({ customer_key: "c1", click_id: shop.click(shop.alice, daysAgo(9)) });
    expect(second.body).toMatchObject({ attributed: true });
    expect(await amountsOf(shop, [first.body, second.body])).toEqual([200, 200]);
  });
});

describe("sales sent out of order", () => {
  const policies = [{ scope: "one_time" as const }];

  it("sales sent out of order keep their commissions: a sale that is sent later but occurred earlier doesn't change them", async () => {
    const shop = await createSalesFixture({ policies });
    await shop.refer("c1", { clickAt: daysAgo(70) });
    const told = await shop.sell({ transaction_id: "told", occurred_at: at(daysAgo(1)) });
    const first = await shop.sell({ transaction_id: "first", occurred_at: at(daysAgo(20)) });
    expect(first.body).toMatchObject({ attributed: true, reason: "recurring_not_covered" });
    expect(await shop.commission(told.body.commission_id)).toMatchObject({ status: "pending", amount_cents: 200 });
  });

  it("with windowUntil first_sale, sales sent out of order are attributed by the first sale's time, as if they had been sent in order", async () => {
    const shop = await createSalesFixture({ policies, program: { windowUntil: "first_sale" } });
    await shop.lead({
      customer_key: "c1",
      click_id: shop.click(shop.alice, daysAgo(70)),
      occurred_at: at(daysAgo(69)),
    });
    const past = await shop.sell({ transaction_id: "past", occurred_at: at(daysAgo(1)) });
    expect(past.body).toMatchObject({ attributed: false, reason: "attribution_window_expired" });
    const first = await shop.sell({ transaction_id: "first", occurred_at: at(daysAgo(20)) });
    expect(first.body).toMatchObject({ attributed: true, commission: { status: "approved", amount_cents: 200 } });
    expect(await shop.commission(past.body.commission_id)).toMatchObject({
      partner_id: shop.alice.id,
      reason: "recurring_not_covered",
    });
  });

  it("a sale keeps its attribution if another sale of the customer, from before the click, is sent later", async () => {
    const shop = await createSalesFixture();
    await shop.lead({ customer_key: "c1", click_id: shop.click(shop.alice, daysAgo(5)), occurred_at: at(daysAgo(4)) });
    const attributed = await shop.sell({ transaction_id: "later", occurred_at: at(daysAgo(3)) });
    const before = await shop.sell({ transaction_id: "before", occurred_at: at(daysAgo(9)) });
    expect(attributed.body).toMatchObject({ attributed: true });
    expect(before.body).toMatchObject({ attributed: false, reason: "existing_customer" });
  });
});
