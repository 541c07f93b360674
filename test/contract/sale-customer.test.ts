import { describe, expect, it } from "vitest";
import { daysAgo } from "../support/program-fixture.ts";
import { createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";

const customersOf = async (shop: SalesFixture, sales: readonly { body: { sale_id: number } }[]) =>
  Promise.all(
    sales.map(async ({ body }) => (await shop.row("select * from sales where id = ?", body.sale_id)).customer_id),
  );

describe("the customer of a sale", () => {
  it("the customer of a sale is the one with the sale's customer_key, whatever click is sent", async () => {
    const shop = await createSalesFixture();
    await shop.refer("c1", { partner: shop.alice });
    for (const click_id of [shop.click(shop.bob, daysAgo(0)), "forged"]) {
      const { body } = await shop.sell({ customer_key: "c1", click_id });
      expect(body).toMatchObject({ attributed: true, partner_code: shop.alice.code });
    }
  });

  it("the customer of a sale is attributed by click_id if the customer is new", async () => {
    const shop = await createSalesFixture();
    const click_id = shop.click(shop.bob);
    expect((await shop.sell({ customer_key: "new", click_id })).body.partner_code).toBe(shop.bob.code);
    expect((await shop.sell({ customer_key: "new" })).body.partner_code).toBe(shop.bob.code);
  });

  it("the customer of a sale is attributed by click_id if the customer has no partner", async () => {
    const shop = await createSalesFixture();
    await shop.lead({ customer_key: "c1" });
    const { body } = await shop.sell({ customer_key: "c1", click_id: shop.click(shop.bob) });
    expect(body).toMatchObject({ attributed: true, partner_code: shop.bob.code });
    expect(await shop.all("customers")).toHaveLength(1);
  });

  it("a sale without customer_key has the click's customer, who receives the first customer_key that is sent later with the click", async () => {
    const shop = await createSalesFixture();
    const click_id = shop.click(shop.alice);
    const sales = [
      await shop.sell({ click_id }),
      await shop.sell({ click_id }),
      await shop.sell({ click_id, customer_key: "c1" }),
      await shop.sell({ customer_key: "c1" }),
    ];
    expect(sales.map(({ body }) => body.partner_code)).toEqual(Array(4).fill(shop.alice.code));
    expect(new Set(await customersOf(shop, sales)).size).toBe(1);
    expect(await shop.all("customers")).toMatchObject([{ customer_key: "c1" }]);
  });

  it("the customer of a sale is a new one if the same click is sent with another customer_key", async () => {
    const shop = await createSalesFixture();
    const click_id = shop.click(shop.alice);
    const sales = [
      await shop.sell({ customer_key: "c1", click_id }),
      await shop.sell({ customer_key: "c2", click_id }),
    ];
    expect(sales.map(({ body }) => body.partner_code)).toEqual([shop.alice.code, shop.alice.code]);
    expect(new Set(await customersOf(shop, sales)).size).toBe(2);
  });

  it("the customer of a sale is never merged with another customer: a known customer_key keeps its customer", async () => {
    const shop = await createSalesFixture();
    const click_id = shop.click(shop.alice);
    await shop.lead({ customer_key: "c1" });
    const sales = [await shop.sell({ click_id }), await shop.sell({ customer_key: "c1", click_id })];
    expect(sales.map(({ body }) => body.partner_code)).toEqual([shop.alice.code, shop.alice.code]);
    expect(await shop.all("customers")).toMatchObject([{ customer_key: "c1" }, { customer_key: null }]);
  });

  it("a click sent with a sale takes precedence over a lead that a browser sent, until the customer's first attributed sale", async () => {
    const shop = await createSalesFixture();
    await shop.browserLead({ customer_key: "c1", click_id: shop.click(shop.alice, daysAgo(2)) });
    const first = await shop.sell({ customer_key: "c1", click_id: shop.click(shop.bob, daysAgo(3)) });
    expect(first.body).toMatchObject({ partner_code: shop.bob.code, commission: { unconfirmed: false } });
    const later = await shop.sell({ customer_key: "c1", click_id: shop.click(shop.alice, daysAgo(0)) });
    expect(later.body.partner_code).toBe(shop.bob.code);
  });

  it("the customer of a sale with an invalid click and no customer_key is unknown", async () => {
    const shop = await createSalesFixture();
    const sales = [await shop.sell({ click_id: "forged" }), await shop.sell({ click_id: "forged" })];
    expect(await customersOf(shop, sales)).toEqual([null, null]);
  });
});
