import { describe, expect, it } from "vitest";
import { createSalesFixture, soldOnce } from "../support/sales-fixture.ts";

describe("a refund", () => {
  it("a partial refund reverses a proportional share of the commission, and the refund of the rest of the sale reverses the rest", async () => {
    const { shop, sale, giveBack } = await soldOnce();
    const { sale_id, commission_id } = sale;
    const head = { success: true, message: expect.any(String), sale_id, commission_id, refund_id: null };
    expect(await giveBack({ refund_amount_cents: 400 })).toEqual({
      ...head,
      status: "refunded",
      refunded_cents: 400,
      refunded_total_cents: 400,
      commission_reversed_cents: 82,
      commission_amount_cents: 123,
    });
    expect(await shop.commission(commission_id)).toMatchObject({
      status: "pending",
      amount_cents: 123,
      initial_cents: 205,
    });
    expect(await giveBack()).toEqual({
      ...head,
      status: "reversed",
      refunded_cents: 600,
      refunded_total_cents: 1_000,
      commission_reversed_cents: 123,
      commission_amount_cents: 0,
    });
    expect(await shop.commission(commission_id)).toMatchObject({
      status: "reversed",
      amount_cents: 0,
      initial_cents: 205,
    });
    expect(await shop.entries(commission_id)).toEqual([
      ["earned", 205],
      ["reversed", -82],
      ["reversed", -123],
    ]);
  });

  it("a refund returns 404 for a transaction unknown in this program", async () => {
    const { shop } = await soldOnce();
    const other = await createSalesFixture();
    const error = { status: 404, name: "NotFoundError", message: "Sale not found for transaction_id", details: {} };
    for (const reply of [await shop.giveBack("T"), await shop.giveBack("t2"), await other.giveBack("t")]) {
      expect(reply).toMatchObject({ status: 404, body: { data: null, error } });
    }
  });

  it("a refund returns 404 before its sale is recorded, and succeeds afterwards", async () => {
    const shop = await createSalesFixture();
    await shop.refer("c1");
    expect(await shop.giveBack("t")).toMatchObject({ status: 404 });
    expect(await shop.sell({ transaction_id: "t" })).toMatchObject({ status: 200 });
    expect(await shop.giveBack("t")).toMatchObject({ status: 200, body: { status: "reversed" } });
  });

  it("a refund sent as a running total refunds only the increase, and changes nothing when sent again without a refund_id", async () => {
    const { giveBack } = await soldOnce();
    expect(await giveBack({ refunded_total_cents: 300 })).toMatchObject({ status: "refunded", refunded_cents: 300 });
    for (const refunded_total_cents of [300, 1]) {
      expect(await giveBack({ refunded_total_cents })).toMatchObject({
        status: "skipped",
        refunded_cents: 0,
        refunded_total_cents: 300,
        commission_reversed_cents: 0,
        commission_amount_cents: 144,
      });
    }
    expect(await giveBack({ refunded_total_cents: 700 })).toMatchObject({ status: "refunded", refunded_cents: 400 });
    expect(await giveBack({ refunded_total_cents: 1_000 })).toMatchObject({ status: "reversed", refunded_cents: 300 });
  });

  it("a refund by amount without a refund_id counts each time", async () => {
    const { giveBack } = await soldOnce();
    for (const refunded_total_cents of [400, 800]) {
      expect(await giveBack({ refund_amount_cents: 400 })).toMatchObject({ status: "refunded", refunded_total_cents });
    }
  });

  it("a refund_id is unique per sale", async () => {
    const { shop } = await soldOnce();
    await shop.sell({ transaction_id: "t2", click_id: shop.click(shop.bob) });
    for (const transaction_id of ["t", "t2"]) {
      const { body } = await shop.giveBack(transaction_id, { refund_amount_cents: 1, refund_id: "r1" });
      expect(body).toMatchObject({ status: "refunded", refund_id: "r1" });
    }
  });
});
