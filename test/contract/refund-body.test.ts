import { beforeEach, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../harness/client.ts";
import { at, daysAgo, minute } from "../support/program-fixture.ts";
import { createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";

let shop: SalesFixture;
beforeEach(async () => {
  shop = await createSalesFixture();
  await shop.refer("c1", { clickAt: daysAgo(9) });
  await shop.sell({ transaction_id: "t", occurred_at: at(daysAgo(8)) });
});

const send = (body: JsonObject) => shop.api.refund(body, { key: shop.world.key });
const refundRow = () => shop.row("select * from refunds where program_id = ?", shop.world.programId);

const idRule = (field: string) =>
  `${field} must be a string of 1 to 255 characters, not blank, without control characters`;
const amountRule = (field: string) => `${field} must be a positive integer`;

describe("an invalid refund is refused, and reverses nothing", () => {
  it.each<[field: string, bad: (Json | undefined)[], message: unknown]>([
    ["transaction_id", [undefined, null, "", 7], "transaction_id is required"],
    ["transaction_id", [" ", "x".repeat(256)], idRule("transaction_id")],
    ["refund_amount_cents", [0, -1, 1.5, "5"], amountRule("refund_amount_cents")],
    ["refund_amount_cents", [10 ** 11 + 1], `refund_amount_cents must not be above ${10 ** 11}`],
    ["refunded_total_cents", [0, -1, 1.5, "5"], amountRule("refunded_total_cents")],
    ["refunded_total_cents", [10 ** 11 + 1], `refunded_total_cents must not be above ${10 ** 11}`],
    ["charge_total_cents", [0, -1, 1.5, "5"], amountRule("charge_total_cents")],
    ["charge_total_cents", [10 ** 11 + 1], `charge_total_cents must not be above ${10 ** 11}`],
    ["refund_id", ["", " ", 7, "x".repeat(256)], idRule("refund_id")],
    ["refund_reason", [7, "x".repeat(256)], "refund_reason must be a string of at most 255 characters"],
    ["occurred_at", ["now", 0], expect.stringContaining("ISO 8601")],
    ["occurred_at", [at(Date.now() + 6 * minute)], "occurred_at is in the future"],
    ["additional_data", ["x"], "additional_data must be an object"],
  ])("a refund with %s set to any of %j is refused", async (field, bad, message) => {
    for (const value of bad) {
      const refused = await send({ transaction_id: "t", [field]: value });
      expect(refused).toMatchObject({ status: 400, body: { data: null, error: { name: "BadRequestError", message } } });
      expect(refused.body.error.details.errors).toEqual([{ path: [field], message, name: "ValidationError" }]);
    }
    expect(await shop.all("refunds")).toEqual([]);
  });

  it("a refund with both refund_amount_cents and refunded_total_cents is refused", async () => {
    const message = "Send refund_amount_cents or refunded_total_cents, not both";
    const refused = await send({ transaction_id: "t", refund_amount_cents: 5, refunded_total_cents: 5 });
    expect(refused).toMatchObject({ status: 400, body: { error: { message } } });
  });

  it("a refund without an API key is refused", async () => {
    expect(await shop.api.refund({ transaction_id: "t" })).toMatchObject({ status: 401 });
  });
});

describe("the fields of a refund", () => {
  it("the fields of a refund are stored", async () => {
    const refund_id = "x".repeat(255);
    const more = { refund_reason: "broken", occurred_at: at(daysAgo(3)), additional_data: { any: 1 }, unknown: 1 };
    await send({ transaction_id: "t", refund_amount_cents: 5, refund_id, ...more });
    expect(await refundRow()).toMatchObject({
      refund_id,
      refunded_cents: 5,
      reason: "broken",
      occurred_at: daysAgo(3),
      currency: "EUR",
      is_test: 0,
    });
  });

  it("null fields of a refund count as absent: its time is then the current time, and its amount the sale's whole remaining amount", async () => {
    const fields = ["refund_amount_cents", "refund_id", "refunded_total_cents", "refund_reason", "occurred_at"];
    const nulls = Object.fromEntries([...fields, "additional_data"].map((field) => [field, null]));
    expect(await send({ transaction_id: "t", ...nulls })).toMatchObject({
      status: 200,
      body: { status: "reversed", refunded_cents: 1_000, refund_id: null },
    });
    const row = await refundRow();
    expect(row).toMatchObject({ refund_id: null, reason: null });
    expect(row.occurred_at).toBe(row.created_at);
  });

  it.each([
    ["before the sale", daysAgo(8.5)],
    ["too long ago for any sale", daysAgo(2_000)],
  ])("a refund has the sale's instant instead of an occurred_at that is %s", async (_what, instant) => {
    await send({ transaction_id: "t", occurred_at: at(instant) });
    expect(await refundRow()).toMatchObject({ occurred_at: daysAgo(8), day: at(daysAgo(8)).slice(0, 10) });
    const [, reversed] = await shop.all("ledger_entries");
    expect(reversed).toMatchObject({ kind: "reversed", occurred_at: daysAgo(8) });
  });
});
