import { describe, expect, it } from "vitest";
import { daysAgo } from "../support/program-fixture.ts";
import { createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";

const customersOf = async (till: SalesFixture, sales: readonly { body: { sale_id: number } }[]) =>
  Promise.all(
    sales.map(async ({ body }) => (await till.row("select * from sales where id = ?", body.sale_id)).customer_id),
  );

describe("the customer of a sale", () => {
  it("is the one with its customer_key, whatever click comes along", async () => {
    const till = await createSalesFixture();
    await till.refer("c1", { partner: till.alice });
    for (const click_id of [till.click(till.bob, daysAgo(0)), "forged"]) {
      const { body } = await till.sell({ customer_key: "c1", click_id });
      expect(body).toMatchObject({ attributed: true, partner_code: till.alice.code });
    }
  });

  it("is bound by click_id where they are unknown", async () => {
    const till = await createSalesFixture();
    const click_id = till.click(till.bob);
    expect((await till.sell({ customer_key: "new", click_id })).body.partner_code).toBe(till.bob.code);
    expect((await till.sell({ customer_key: "new" })).body.partner_code).toBe(till.bob.code);
  });

  it("is bound by click_id where they have no partner", async () => {
    const till = await createSalesFixture();
    await till.lead({ customer_key: "c1" });
    const { body } = await till.sell({ customer_key: "c1", click_id: till.click(till.bob) });
    expect(body).toMatchObject({ attributed: true, partner_code: till.bob.code });
    expect(await till.all("customers")).toHaveLength(1);
  });

  it("is the click's own without a key, and named by the first call that has one", async () => {
    const till = await createSalesFixture();
    const click_id = till.click(till.alice);
    const sales = [
      await till.sell({ click_id }),
      await till.sell({ click_id }),
      await till.sell({ click_id, customer_key: "c1" }),
      await till.sell({ customer_key: "c1" }),
    ];
    expect(sales.map(({ body }) => body.partner_code)).toEqual(Array(4).fill(till.alice.code));
    expect(new Set(await customersOf(till, sales)).size).toBe(1);
    expect(await till.all("customers")).toMatchObject([{ customer_key: "c1" }]);
  });

  it("is another one where the click was shown by somebody with another key", async () => {
    const till = await createSalesFixture();
    const click_id = till.click(till.alice);
    const sales = [
      await till.sell({ customer_key: "c1", click_id }),
      await till.sell({ customer_key: "c2", click_id }),
    ];
    expect(sales.map(({ body }) => body.partner_code)).toEqual([till.alice.code, till.alice.code]);
    expect(new Set(await customersOf(till, sales)).size).toBe(2);
  });

  it("is never merged with another one: a key that is known stays with its own", async () => {
    const till = await createSalesFixture();
    const click_id = till.click(till.alice);
    await till.lead({ customer_key: "c1" });
    const sales = [await till.sell({ click_id }), await till.sell({ customer_key: "c1", click_id })];
    expect(sales.map(({ body }) => body.partner_code)).toEqual([till.alice.code, till.alice.code]);
    expect(await till.all("customers")).toMatchObject([{ customer_key: "c1" }, { customer_key: null }]);
  });

  it("goes by the sale's own click against a browser's word, until the first attributed sale", async () => {
    const till = await createSalesFixture();
    await till.browserLead({ customer_key: "c1", click_id: till.click(till.alice, daysAgo(2)) });
    const first = await till.sell({ customer_key: "c1", click_id: till.click(till.bob, daysAgo(3)) });
    expect(first.body).toMatchObject({ partner_code: till.bob.code, commission: { unconfirmed: false } });
    const later = await till.sell({ customer_key: "c1", click_id: till.click(till.alice, daysAgo(0)) });
    expect(later.body.partner_code).toBe(till.bob.code);
  });

  it("is nobody where neither a key nor a good click tells", async () => {
    const till = await createSalesFixture();
    const sales = [await till.sell({ click_id: "forged" }), await till.sell({ click_id: "forged" })];
    expect(await customersOf(till, sales)).toEqual([null, null]);
  });
});
