import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { at, daysAgo, stateOf } from "../support/program-fixture.ts";
import { allAtOnce, soldOnce } from "../support/sales-fixture.ts";

const half = { refund_id: "r", refund_amount_cents: 400 };
const cancel = { refund_id: "r", cancel: true };
const isClosed = { status: "skipped", reason: "canceled", refunded_cents: 0, commission_reversed_cents: 0 };
const unknown = "No refund with this refund_id yet. It will be ignored when it arrives.";

describe("canceling a refund", () => {
  it("canceling a refund undoes the refund completely, and returns the restored amounts", async () => {
    const { shop, giveBack, sale } = await soldOnce();
    await giveBack(half);
    const { sale_id, commission_id } = sale;
    expect(await giveBack(cancel)).toEqual({
      success: true,
      message: "Refund canceled",
      ...{ sale_id, commission_id },
      status: "restored",
      refund_id: "r",
      refunded_cents: -400,
      refunded_total_cents: 0,
      commission_reversed_cents: -82,
      commission_amount_cents: 205,
    });
    expect(await shop.saleRow("t")).toMatchObject({ refunded_cents: 0 });
    expect(await shop.commission(commission_id)).toMatchObject({ status: "pending", amount_cents: 205 });
    expect(await shop.entries(commission_id)).toEqual([
      ["earned", 205],
      ["reversed", -82],
      ["restored", 82],
    ]);
  });

  it.each<[string, JsonObject]>([
    ["the whole remaining amount", {}],
    ["an amount", { refund_amount_cents: 400 }],
    ["a running total", { refunded_total_cents: 400 }],
    ["a part of a charge", { refunded_total_cents: 400, charge_total_cents: 1_166 }],
  ])("canceling a refund sent as %s closes its id: later calls with the id are skipped", async (_what, told) => {
    const { shop, giveBack } = await soldOnce();
    const refund = { refund_id: "r", ...told };
    await giveBack(refund);
    await giveBack(cancel);
    const before = await stateOf(shop);
    for (const again of [
      refund,
      cancel,
      { refund_id: "r" },
      { refund_id: "r", refund_amount_cents: 5_000 },
      { refund_id: "r", refunded_total_cents: 900, occurred_at: at(Date.now()) },
      { refund_id: "r", refunded_total_cents: 900, charge_total_cents: 7 },
      { ...cancel, refunded_total_cents: 5 },
    ]) {
      expect(await giveBack(again)).toMatchObject({
        ...isClosed,
        refunded_total_cents: 0,
        commission_amount_cents: 205,
      });
    }
    expect(await stateOf(shop)).toEqual(before);
  });

  it("canceling an unknown refund_id closes the id, so that a refund sent with it later is skipped", async () => {
    const { shop, giveBack, sale } = await soldOnce();
    expect(await giveBack(cancel)).toMatchObject({
      status: "restored",
      message: unknown,
      refunded_cents: 0,
      refunded_total_cents: 0,
      commission_reversed_cents: 0,
      commission_amount_cents: 205,
    });
    expect(await giveBack(half)).toMatchObject(isClosed);
    expect(await giveBack(cancel)).toMatchObject(isClosed);
    expect(await shop.entries(sale.commission_id)).toEqual([["earned", 205]]);
    expect(await giveBack({ ...half, refund_id: "another" })).toMatchObject({
      status: "refunded",
      refunded_cents: 400,
    });
  });

  it("canceling a refund undoes the refund of a sale without a commission", async () => {
    const { shop, giveBack } = await soldOnce({ isOrganic: true });
    await giveBack(half);
    const figures = { refunded_cents: -400, refunded_total_cents: 0, commission_reversed_cents: 0 };
    expect(await giveBack(cancel)).toMatchObject({ status: "restored", ...figures });
    expect(await shop.saleRow("t")).toMatchObject({ refunded_cents: 0 });
    expect(await shop.all("ledger_entries")).toEqual([]);
  });

  it("canceling a refund restores only the amount that no other refund covers, so that the other refunds take effect", async () => {
    const { shop, giveBack, sale } = await soldOnce();
    await giveBack({ refund_id: "whole" });
    const covered = { status: "skipped", reason: "already reversed", refunded_cents: 0, commission_reversed_cents: 0 };
    expect(await giveBack({ refund_id: "r", refund_amount_cents: 300 })).toMatchObject(covered);
    expect(await giveBack({ refund_id: "ch", refunded_total_cents: 100 })).toMatchObject(covered);
    expect(await giveBack({ refund_id: "whole", cancel: true })).toMatchObject({
      refunded_cents: -600,
      refunded_total_cents: 400,
      commission_reversed_cents: -123,
      commission_amount_cents: 123,
    });
    expect(await giveBack({ refund_id: "ch", cancel: true })).toMatchObject({ refunded_total_cents: 300 });
    expect(await giveBack(cancel)).toMatchObject({ refunded_total_cents: 0, commission_amount_cents: 205 });
    expect(await shop.entries(sale.commission_id)).toEqual([
      ["earned", 205],
      ["reversed", -205],
      ["restored", 123],
      ["restored", 21],
      ["restored", 61],
    ]);
  });

  it("canceling a refund increases another refund that was sent for the whole remaining amount, so that the sale stays fully refunded", async () => {
    const { giveBack } = await soldOnce();
    await giveBack(half);
    expect(await giveBack({ refund_id: "rest" })).toMatchObject({ refunded_cents: 600, refunded_total_cents: 1_000 });
    expect(await giveBack(cancel)).toMatchObject({
      status: "restored",
      refunded_cents: 0,
      refunded_total_cents: 1_000,
    });
    expect(await giveBack({ refund_id: "rest", cancel: true })).toMatchObject({ refunded_cents: -1_000 });
  });

  it("canceling a refund restores nothing if other refunds cover the amount", async () => {
    const { giveBack } = await soldOnce();
    await giveBack({ refund_id: "whole" });
    await giveBack(half);
    const nothing = {
      status: "restored",
      refunded_cents: 0,
      refunded_total_cents: 1_000,
      commission_reversed_cents: 0,
    };
    expect(await giveBack(cancel)).toMatchObject(nothing);
    expect(await giveBack({ refund_id: "whole", cancel: true })).toMatchObject({ refunded_total_cents: 0 });
  });

  it("canceling a refund takes effect once among parallel cancellations and refunds, in any order", async () => {
    const { shop, giveBack, sale } = await soldOnce();
    const replies = await allAtOnce(30, (i) => giveBack(i % 2 === 0 ? cancel : half));
    expect(replies.filter(({ status }) => status === "restored")).toHaveLength(1);
    expect(await shop.saleRow("t")).toMatchObject({ refunded_cents: 0 });
    expect(await shop.commission(sale.commission_id)).toMatchObject({ amount_cents: 205, status: "pending" });
  });
});

describe("canceling a refund with a refunded total", () => {
  const total = (refunded_total_cents: number, days?: number) => ({
    refund_id: "r",
    refunded_total_cents,
    ...(days !== undefined && { occurred_at: at(daysAgo(days)) }),
  });
  const fall = (refunded_total_cents: number, days?: number) => ({
    ...total(refunded_total_cents, days),
    cancel: true,
  });
  it("canceling a refund with a refunded total lowers the total of the refund_id, and doesn't close the id", async () => {
    const { giveBack } = await soldOnce();
    await giveBack({ refund_id: "other", refund_amount_cents: 100 });
    await giveBack(total(500));
    expect(await giveBack(fall(200))).toMatchObject({
      status: "restored",
      message: "Refund canceled",
      refunded_cents: -300,
      refunded_total_cents: 300,
      commission_amount_cents: 144,
    });
    expect(await giveBack(fall(200))).toMatchObject({ ...isClosed, refunded_total_cents: 300 });
    expect(await giveBack(fall(0))).toMatchObject({
      status: "restored",
      refunded_cents: -200,
      refunded_total_cents: 100,
    });
  });

  it("after canceling a refund with a refunded total, a new total without occurred_at counts only if it exceeds every total sent before", async () => {
    const { giveBack } = await soldOnce();
    await giveBack(total(500));
    await giveBack(fall(200));
    for (const cents of [200, 400, 500]) {
      expect(await giveBack(total(cents))).toMatchObject({ status: "skipped", refunded_total_cents: 200 });
    }
    expect(await giveBack(total(501))).toMatchObject({ status: "refunded", refunded_total_cents: 501 });
  });

  it("after canceling a refund with a refunded total, a new total with occurred_at counts only if this is later than the cancellation's", async () => {
    const { giveBack } = await soldOnce();
    await giveBack(total(500, 0.4));
    await giveBack(fall(200, 0.2));
    expect(await giveBack(total(450, 0.3))).toMatchObject({ status: "skipped", refunded_total_cents: 200 });
    expect(await giveBack(total(450, 0.1))).toMatchObject({
      status: "refunded",
      refunded_cents: 250,
      refunded_total_cents: 450,
    });
  });

  it("canceling an unknown refund with a refunded total records a refund of that total", async () => {
    const { giveBack } = await soldOnce();
    expect(await giveBack(fall(200, 0.2))).toMatchObject({ refunded_total_cents: 200 });
    expect(await giveBack(total(500, 0.4))).toMatchObject({ status: "skipped", refunded_total_cents: 200 });
    expect(await giveBack(total(500, 0.1))).toMatchObject({ status: "refunded", refunded_total_cents: 500 });
  });

  it("canceling a refund with a refunded total requires the refund's charge_total_cents, if it has one, and scales the total by it", async () => {
    const { shop, giveBack } = await soldOnce();
    const charge_total_cents = 2_000;
    await giveBack({ ...total(1_000), charge_total_cents });
    const other = await shop.giveBack("t", fall(500));
    expect(other).toMatchObject({ status: 409, body: { error: { details: { differences: ["charge_total_cents"] } } } });
    expect(await giveBack({ ...fall(500), charge_total_cents })).toMatchObject({
      refunded_cents: -250,
      refunded_total_cents: 250,
    });
  });

  it("canceling a refund with a refunded total returns 409 if the refund was sent as an amount, which can only be canceled completely", async () => {
    const { shop, giveBack } = await soldOnce();
    await giveBack(half);
    const refused = await shop.giveBack("t", fall(100));
    expect(refused).toMatchObject({
      status: 409,
      body: { error: { details: { differences: ["refunded_total_cents"] } } },
    });
    expect(await giveBack(cancel)).toMatchObject({ refunded_total_cents: 0 });
  });

  it("canceling a refund with a refunded total can be followed by canceling completely, which closes the id", async () => {
    const { giveBack } = await soldOnce();
    await giveBack(total(500));
    await giveBack(fall(200));
    expect(await giveBack(cancel)).toMatchObject({ status: "restored", refunded_cents: -200, refunded_total_cents: 0 });
    expect(await giveBack(total(900))).toMatchObject(isClosed);
  });
});
