import { describe, expect, it } from "vitest";
import { at, daysAgo, inTestMode, stateOf } from "../support/program-fixture.ts";
import { allAtOnce, createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";

const needsCustomer = {
  status: 400,
  body: { data: null, error: { name: "BadRequestError", message: "customer_key or click_id is required" } },
};
/** Sends a sale with the subscription_id and without a customer. */
const renew = (shop: SalesFixture, transaction_id: string, body = {}) =>
  shop.api.sale({ transaction_id, amount_cents: 1_000, subscription_id: "s", ...body }, { key: shop.world.key });

describe("a sale with only a subscription_id", () => {
  it("a sale with only a subscription_id is recorded for the subscription's customer", async () => {
    const shop = await createSalesFixture();
    await shop.refer("c1");
    await shop.sell({ transaction_id: "first", subscription_id: "s" });
    const { status, body } = await renew(shop, "second", { is_recurring: true });
    expect([status, body]).toMatchObject([200, { attributed: true, partner_code: shop.alice.code }]);
    const [first, second] = await shop.all("sales");
    expect(second).toMatchObject({ customer_id: first?.customer_id, sent_customer_key: null, is_recurring: 1 });
    expect(await shop.all("customers")).toHaveLength(1);
  });

  it("a sale with only a subscription_id is recorded for a customer known only by a click", async () => {
    const shop = await createSalesFixture();
    await shop.sell({ subscription_id: "s", click_id: shop.click(shop.bob) });
    expect((await renew(shop, "second")).body).toMatchObject({ attributed: true, partner_code: shop.bob.code });
    expect((await renew(shop, "third")).body).toMatchObject({ attributed: true, partner_code: shop.bob.code });
    expect(await shop.all("customers")).toHaveLength(1);
  });

  it.each([
    ["the newer sale was sent last", ["old", "new"]],
    ["the newer sale was sent first", ["new", "old"]],
  ])(
    "a sale with only a subscription_id has the customer of the subscription's newest sale by occurred_at: %s",
    async (_what, order) => {
      const shop = await createSalesFixture();
      await shop.refer("old", { partner: shop.alice, clickAt: daysAgo(10) });
      await shop.refer("new", { partner: shop.bob, clickAt: daysAgo(10) });
      const days: Record<string, number> = { old: 5, new: 2 };
      for (const customer_key of order) {
        await shop.sell({ customer_key, subscription_id: "s", occurred_at: at(daysAgo(days[customer_key] ?? 0)) });
      }
      expect((await renew(shop, "next")).body).toMatchObject({ partner_code: shop.bob.code });
    },
  );

  it("a sale with only a subscription_id has no customer if the subscription's newest sale has none", async () => {
    const shop = await createSalesFixture();
    await shop.refer("c1", { clickAt: daysAgo(10) });
    await shop.sell({ subscription_id: "s", occurred_at: at(daysAgo(5)) });
    await shop.sell({ subscription_id: "s", click_id: "forged", occurred_at: at(daysAgo(2)) });
    expect((await renew(shop, "next")).body).toMatchObject({ attributed: false, reason: "customer_not_found" });
  });

  it("a sale with only a subscription_id is recorded for a customer without a partner, and attributed by the customer's later lead", async () => {
    const shop = await createSalesFixture();
    await shop.sell({ subscription_id: "s", occurred_at: at(daysAgo(5)) });
    const { body } = await renew(shop, "next");
    expect(body).toMatchObject({ attributed: false, commission: { status: "void" } });
    const { attributed_sales } = await shop.lead({ customer_key: "c1", click_id: shop.click(shop.alice, daysAgo(6)) });
    expect(attributed_sales?.map(({ sale_id }) => sale_id)).toContain(body.sale_id);
  });

  it("a sale with only a subscription_id is refused for an unknown subscription_id, and changes nothing", async () => {
    const shop = await createSalesFixture();
    await shop.refer("c1");
    await shop.sell({ subscription_id: "S" });
    const before = await stateOf(shop);
    const reply = await renew(shop, "next");
    expect(reply).toMatchObject(needsCustomer);
    expect(reply.body.error.details).toEqual({ unknown_subscription_id: true });
    expect(await stateOf(shop)).toEqual(before);
    expect(await shop.sell({ transaction_id: "next", subscription_id: "s" })).toMatchObject({ status: 200 });
  });

  it("a sale with only a subscription_id doesn't find a subscription of another program or of test sales", async () => {
    const [shop, other] = [await createSalesFixture(), await createSalesFixture()];
    await other.sell({ subscription_id: "s" });
    await shop.sell({ subscription_id: "s", ...inTestMode });
    const reply = await renew(shop, "next");
    expect(reply).toMatchObject(needsCustomer);
    expect(reply.body.error.details).toEqual({ unknown_subscription_id: true });
  });

  it("a sale with only a subscription_id is deduplicated by transaction_id, and compared by the fields that were sent", async () => {
    const shop = await createSalesFixture();
    await shop.refer("c1");
    await shop.sell({ subscription_id: "s" });
    const { body } = await renew(shop, "next");
    const again = await renew(shop, "next");
    expect(again).toMatchObject({
      status: 409,
      body: { error: { details: { sale_id: body.sale_id, same_request: true } } },
    });
    const named = await renew(shop, "next", { customer_key: "c1" });
    expect(named.body.error.details).toMatchObject({ same_request: false, differences: ["customer_key"] });
  });

  it("a sale with only a subscription_id has the same customer in twenty parallel calls", async () => {
    const shop = await createSalesFixture();
    await shop.refer("c1");
    await shop.sell({ subscription_id: "s" });
    const replies = await allAtOnce(20, (i) => renew(shop, `renewal ${i}`, { is_recurring: true }));
    for (const reply of replies) {
      expect(reply).toMatchObject({
        status: 200,
        body: { partner_code: shop.alice.code, commission: { amount_cents: 200 } },
      });
    }
    expect(new Set((await shop.all("sales")).map(({ customer_id }) => customer_id)).size).toBe(1);
  });

  it("a sale with only a subscription_id has the first sale's customer if sent in parallel with that sale, or is refused as unknown", async () => {
    const shop = await createSalesFixture();
    await shop.refer("c1");
    const [first, ...renewals] = await Promise.all([
      shop.sell({ subscription_id: "s" }),
      ...Array.from({ length: 10 }, (_, i) => renew(shop, `renewal ${i}`)),
    ]);
    expect(first?.status).toBe(200);
    for (const reply of renewals) {
      if (reply.status === 200) expect(reply.body.partner_code).toBe(shop.alice.code);
      else expect(reply.body.error.details).toEqual({ unknown_subscription_id: true });
    }
  });

  it("a sale with only a subscription_id doesn't confirm a customer whom only a browser's lead reported", async () => {
    const shop = await createSalesFixture();
    await shop.browserLead({ customer_key: "c1", click_id: shop.click(shop.alice) });
    await shop.sell({ subscription_id: "s" });
    expect((await renew(shop, "next")).body.commission).toMatchObject({ unconfirmed: true, status: "pending" });
  });
});

describe("a sale with a known subscription_id, an unknown customer_key and a click", () => {
  const sold = (shop: Awaited<ReturnType<typeof createSalesFixture>>, days: number, clickId: string) =>
    shop.sell({ customer_key: "new", subscription_id: "s", click_id: clickId, occurred_at: at(daysAgo(days)) });
  const customersOf = async (shop: Awaited<ReturnType<typeof createSalesFixture>>) =>
    (await shop.all("customers")).map(({ customer_key }) => customer_key);

  it("a sale with a known subscription_id, an unknown customer_key and a click is recorded for the subscription's customer, and unattributed if this customer bought before the click", async () => {
    const shop = await createSalesFixture();
    await shop.sell({ customer_key: "c1", subscription_id: "s", occurred_at: at(daysAgo(9)) });
    const { body } = await sold(shop, 2, shop.click(shop.bob, daysAgo(3)));
    expect(body).toMatchObject({ attributed: false, reason: "existing_customer" });
    expect(await customersOf(shop)).toEqual(["c1"]);
  });

  it("a sale with a known subscription_id, an unknown customer_key and a click attributes the subscription's customer by the click", async () => {
    const shop = await createSalesFixture();
    const { body: first } = await shop.sell({ customer_key: "c1", subscription_id: "s", occurred_at: at(daysAgo(2)) });
    const { body } = await sold(shop, 3, shop.click(shop.bob, daysAgo(4)));
    expect(body).toMatchObject({ partner_code: shop.bob.code });
    expect(await shop.commission(first.commission_id)).toMatchObject({ partner_id: shop.bob.id });
    expect(await customersOf(shop)).toEqual(["c1"]);
  });

  it("a sale with a known subscription_id and an unknown customer_key is attributed by a click, like a sale with the customer's own customer_key", async () => {
    const attribute = async (customer_key: string) => {
      const shop = await createSalesFixture();
      await shop.lead({ customer_key: "c1", click_id: shop.click(shop.alice, daysAgo(5)) });
      await shop.lead({ customer_key: "c1", click_id: shop.click(shop.bob, daysAgo(1)) });
      await shop.sell({ customer_key: "c1", subscription_id: "s", occurred_at: at(daysAgo(3)) });
      const click_id = shop.click(shop.bob, daysAgo(2));
      return (await shop.sell({ customer_key, subscription_id: "s", click_id, occurred_at: at(daysAgo(0.5)) })).body;
    };
    const [ofOwn, ofOther] = [await attribute("c1"), await attribute("new")];
    expect(ofOwn).toMatchObject({ attributed: true, source: "click" });
    expect(ofOther).toMatchObject({ attributed: true, source: "click" });
  });

  it("a sale with a known subscription_id and an unknown customer_key confirms a customer whose lead a browser sent with the same click", async () => {
    const shop = await createSalesFixture();
    const clickId = shop.click(shop.alice, daysAgo(4));
    await shop.browserLead({ customer_key: "c1", click_id: clickId });
    await shop.sell({ customer_key: "c1", subscription_id: "s", occurred_at: at(daysAgo(2)) });
    const { body } = await sold(shop, 1, clickId);
    expect(body).toMatchObject({ partner_code: shop.alice.code, commission: { unconfirmed: false } });
    expect(await customersOf(shop)).toEqual(["c1"]);
  });
});

describe("a sale's history of click ids", () => {
  it.each([
    ["first_click", "alice"],
    ["last_click", "bob"],
  ] as const)("a sale with a history of click ids is attributed by the model %s", async (attributionModel, winner) => {
    const shop = await createSalesFixture({ program: { attributionModel } });
    const [old, young] = [shop.click(shop.alice, daysAgo(9)), shop.click(shop.bob, daysAgo(1))];
    const bodies = [
      { click_id: young, click_ids: [old, young] },
      { click_id: young, click_ids: [old] },
      { click_id: old, click_ids: [young] },
    ];
    for (const [i, clicks] of bodies.entries()) {
      const { body } = await shop.sell({ customer_key: `c${i}`, ...clicks });
      expect(body).toMatchObject({ partner_code: shop[winner].code, commission: { unconfirmed: false } });
    }
    expect((await shop.sell({ customer_key: "history alone", click_ids: [old, young] })).body).toMatchObject({
      partner_code: shop[winner].code,
    });
  });

  it("a history of click ids isn't enough to identify the customer of a sale", async () => {
    const shop = await createSalesFixture();
    await shop.refer("c1");
    const clicks = { transaction_id: "t", amount_cents: 1_000, click_ids: [shop.click(shop.alice)] };
    const reply = await shop.api.sale(clicks, { key: shop.world.key });
    expect(reply).toMatchObject(needsCustomer);
    expect(reply.body.error.details).not.toHaveProperty("unknown_subscription_id");
    expect(await shop.all("sales")).toEqual([]);
  });
});
