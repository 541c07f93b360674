import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { at, daysAgo, minute } from "../support/program-fixture.ts";
import { allAtOnce, createSalesFixture } from "../support/sales-fixture.ts";

const sale = {
  transaction_id: "order-1",
  amount_cents: 1_000,
  customer_key: "c1",
  sale_type: "subscription",
  is_recurring: true,
  subscription_id: "sub-1",
  product_id: "pro",
  occurred_at: at(daysAgo(2)),
} as const;

describe("a transaction_id that was recorded before", () => {
  it("a sale with a transaction_id that was recorded before returns 409 with the state of the recorded sale", async () => {
    const shop = await createSalesFixture();
    await shop.refer("c1", { clickAt: daysAgo(3) });
    const first = await shop.sell(sale);
    const again = await shop.sell(sale);
    const { sale_id, commission_id, is_recurring, attributed, partner_code, source, commission } = first.body;
    expect(again).toMatchObject({ status: 409, body: { data: null } });
    expect(again.body.error).toEqual({
      status: 409,
      name: "ConflictError",
      message: "Duplicate transaction_id. This sale has already been recorded.",
      details: {
        ...{ sale_id, commission_id, is_recurring, attributed, partner_code, source, commission },
        ...{ same_request: true, differences: [] },
      },
    });
    expect(await shop.all("sales")).toHaveLength(1);
  });

  it("a sale with a transaction_id that was recorded before returns the current state of the recorded sale, after refunds and attribution", async () => {
    const shop = await createSalesFixture();
    const details = async () => (await shop.sell(sale)).body.error.details;
    const { body } = await shop.sell(sale);
    expect(await details()).toMatchObject({
      attributed: false,
      partner_code: null,
      commission: { status: "void", amount_cents: 0, hold_until: null, reason: "customer_not_found" },
    });
    await shop.refer("c1", { clickAt: daysAgo(3) });
    const attributed = { sale_id: body.sale_id, commission_id: body.commission_id, attributed: true };
    const partner_code = shop.alice.code;
    expect(await details()).toMatchObject({
      ...attributed,
      partner_code,
      commission: { status: "pending", amount_cents: 200 },
    });
    await shop.giveBack("order-1", { refund_amount_cents: 400 });
    expect(await details()).toMatchObject({ commission: { status: "pending", amount_cents: 120 } });
    await shop.giveBack("order-1");
    expect(await details()).toMatchObject({ ...attributed, commission: { status: "reversed", amount_cents: 0 } });
  });

  it.each<[string, JsonObject]>([
    ["amount_cents", { amount_cents: 1_001 }],
    ["currency", { currency: "USD" }],
    ["customer_key", { customer_key: "C1" }],
    ["customer_key", { customer_key: null, click_id: "clicked" }],
    ["click_id", { click_id: null }],
    ["sale_type", { sale_type: null }],
    ["is_recurring", { is_recurring: null }],
    ["subscription_id", { subscription_id: "sub-2" }],
    ["product_id", { product_id: null }],
    ["occurred_at", { occurred_at: at(daysAgo(2, 1)) }],
  ])("a sale with a recorded transaction_id isn't the same request if its %s differs: %j", async (field, change) => {
    const shop = await createSalesFixture();
    await shop.sell({ ...sale, click_id: "clicked" });
    const { details } = (await shop.sell({ ...sale, click_id: "clicked", ...change })).body.error;
    expect(details).toMatchObject({ same_request: false, differences: [field] });
  });

  it("a sale with a recorded transaction_id returns every difference from the recorded sale", async () => {
    const shop = await createSalesFixture();
    await shop.sell(sale);
    const other = {
      amount_cents: 1,
      currency: "JPY",
      click_id: "x",
      sale_type: "payment",
      occurred_at: at(daysAgo(1)),
    };
    const { details } = (await shop.sell({ ...sale, ...other })).body.error;
    expect(details).toMatchObject({ same_request: false, differences: Object.keys(other) });
  });

  it("a sale with a recorded transaction_id is the same request if only defaults, the currency's case, an absent occurred_at or uncompared fields differ", async () => {
    const shop = await createSalesFixture();
    const bare = { transaction_id: "order-2", amount_cents: 5, customer_key: "c1" };
    const defaults = {
      currency: "eur",
      sale_type: "payment",
      is_recurring: false,
      subscription_id: null,
      click_id: "",
    };
    const uncompared = { subscription_interval: "annual", event_name: "x", line_items: [1], additional_data: { a: 1 } };
    await shop.sell(sale);
    await shop.sell(bare);
    for (const same of [
      { ...sale, occurred_at: null },
      { ...bare, ...defaults },
      { ...bare, ...uncompared },
    ]) {
      expect((await shop.sell(same)).body.error.details).toMatchObject({ same_request: true, differences: [] });
    }
  });

  it("a repeated sale is the same request if its occurred_at was ahead of the clock and stored as the current time", async () => {
    const shop = await createSalesFixture();
    const ahead = { ...sale, occurred_at: at(Date.now() + 3 * minute) };
    await shop.sell(ahead);
    expect((await shop.sell(ahead)).body.error.details).toMatchObject({ same_request: true });
  });

  it("a transaction_id can't be used again in its program, and is compared exactly except for outer white space", async () => {
    const [shop, other] = [await createSalesFixture(), await createSalesFixture()];
    await shop.sell(sale);
    await shop.giveBack("order-1");
    expect(await shop.sell(sale)).toMatchObject({ status: 409 });
    expect(await shop.sell({ ...sale, transaction_id: "Order-1" })).toMatchObject({ status: 200 });
    for (const transaction_id of ["order-1 ", " order-1"]) {
      expect(await shop.sell({ ...sale, transaction_id })).toMatchObject({ status: 409 });
    }
    expect(await other.sell(sale)).toMatchObject({ status: 200 });
  });

  it("a transaction_id is recorded once among 60 parallel copies of a sale, and every response has the same sale", async () => {
    const shop = await createSalesFixture();
    const body = { ...sale, click_id: shop.click(shop.alice, daysAgo(3)) };
    const replies = await allAtOnce(60, () => shop.sell(body));
    const [recorded, ...others] = replies.sort((a, b) => a.status - b.status);
    expect(recorded).toMatchObject({ status: 200, body: { attributed: true, commission: { amount_cents: 200 } } });
    for (const { status, body } of others) {
      expect(status).toBe(409);
      expect(body.error.details).toMatchObject({ sale_id: recorded?.body.sale_id, same_request: true });
    }
    const counts = await Promise.all((["sales", "commissions", "ledger_entries", "customers"] as const).map(shop.all));
    expect(counts.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
  });

  it("a transaction_id is recorded once among parallel sales of different customers", async () => {
    const shop = await createSalesFixture();
    const replies = await allAtOnce(20, (i) => shop.sell({ ...sale, customer_key: `c${i}` }));
    const [recorded, ...others] = replies.sort((a, b) => a.status - b.status);
    expect(recorded).toMatchObject({ status: 200 });
    for (const { status, body } of others) {
      expect(status).toBe(409);
      expect(body.error.details).toMatchObject({ same_request: false, differences: ["customer_key"] });
    }
    expect(await shop.all("customers")).toHaveLength(1);
  });
});
