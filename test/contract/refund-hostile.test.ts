import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../harness/client.ts";
import { oneOfEach } from "../support/breadth.ts";
import { stateOf } from "../support/program-fixture.ts";
import { allAtOnce, type SalesFixture, soldOnce } from "../support/sales-fixture.ts";

/** Sends the fields in an otherwise valid body, and expects that nothing is recorded. */
async function expectRefused(shop: SalesFixture, body: JsonObject, refusal: object): Promise<void> {
  const before = await stateOf(shop);
  const reply = await shop.giveBack("t", body);
  expect(reply, JSON.stringify(body)).toMatchObject(refusal);
  expect(await stateOf(shop), JSON.stringify(body)).toEqual(before);
}
const badRequest = (field: string, message: unknown = expect.any(String)) => ({
  status: 400,
  body: { data: null, error: { name: "BadRequestError", message, details: { errors: [{ path: [field], message }] } } },
});

const sound = { refund_id: "r", refunded_total_cents: 300, charge_total_cents: 1_166 };
const noNumbers: Json[] = [-1, 1.5, "5", "", true, [], [5], {}, 2 ** 53, -(2 ** 53), 1e300, 10 ** 11 + 1, "0x5", "∞"];

describe("a malicious refund", () => {
  it.each<[field: string, values: Json[]]>([
    ["refunded_total_cents", [...noNumbers, 0]],
    ["charge_total_cents", [...noNumbers, 0]],
    ["cancel", ["yes", "true", "", 1, 0, [], {}]],
    ["refund_id", ["", " ", "x".repeat(256), "a\u0000b", "a\nb", "\ud800", 5, [], {}]],
  ])("a refund with an invalid %s is refused, and changes nothing", async (field, values) => {
    const { shop } = await soldOnce();
    for (const value of values) await expectRefused(shop, { ...sound, [field]: value }, { status: 400 });
  });

  const bodies: readonly [field: string, what: string, body: JsonObject, message: string][] = [
    ["cancel", "that isn't a boolean", { refund_id: "r", cancel: "yes" }, "cancel must be a boolean"],
    [
      "refund_amount_cents",
      "with a cancel",
      { refund_id: "r", cancel: true, refund_amount_cents: 5 },
      "Send cancel with refunded_total_cents or without an amount",
    ],
    ["refund_id", "missing from a cancel", { cancel: true }, "refund_id is required with cancel"],
    [
      "refund_id",
      "missing from a cancel with a total",
      { cancel: true, refunded_total_cents: 5 },
      "refund_id is required with cancel",
    ],
    [
      "refunded_total_cents",
      "of 0 without a cancel",
      { refund_id: "r", refunded_total_cents: 0 },
      "refunded_total_cents must be a positive integer",
    ],
    [
      "refunded_total_cents",
      "of 0 with cancel set to false",
      { refund_id: "r", refunded_total_cents: 0, cancel: false },
      "refunded_total_cents must be a positive integer",
    ],
    [
      "charge_total_cents",
      "of 0",
      { refund_id: "r", refunded_total_cents: 5, charge_total_cents: 0 },
      "charge_total_cents must be a positive integer",
    ],
  ];
  it.each(oneOfEach(bodies, ([field]) => field))(
    "a malicious refund is refused, and changes nothing: %s %s",
    async (field, _what, body, message) => {
      const { shop, giveBack } = await soldOnce();
      await expectRefused(shop, body, badRequest(field, message));
      await giveBack({ refund_id: "r", refund_amount_cents: 100 });
      await expectRefused(shop, body, badRequest(field, message));
    },
  );

  it("a refund is refused if JSON can't represent its numbers exactly", async () => {
    const { shop } = await soldOnce();
    const before = await stateOf(shop);
    for (const number of ["9007199254740993", "1e400", "-1e400", "0.1e1e1", "NaN"]) {
      for (const field of ["refunded_total_cents", "charge_total_cents", "refund_amount_cents"]) {
        const body = `{"transaction_id":"t","refund_id":"r","${field}":${number}}`;
        const reply = await shop.api.refund(body, { key: shop.world.key });
        expect(reply.status, body).toBe(400);
      }
    }
    expect(await stateOf(shop)).toEqual(before);
  });
});

describe("an unusual refund", () => {
  it("a refund can have the largest possible amount", async () => {
    const { shop, giveBack } = await soldOnce();
    const largest = { refund_id: "x".repeat(255), refunded_total_cents: 10 ** 11, charge_total_cents: 10 ** 11 };
    expect(await giveBack(largest)).toMatchObject({ status: "reversed", refunded_total_cents: 1_000 });
    expect(await giveBack({ refund_id: largest.refund_id, cancel: true })).toMatchObject({ refunded_total_cents: 0 });
    expect(await shop.saleRow("t")).toMatchObject({ refunded_cents: 0 });
  });

  it("parallel refunds of the largest possible amount refund no more than the sale", async () => {
    const { shop } = await soldOnce();
    const large = (i: number) => ({
      transaction_id: "t",
      refund_id: `r${i}`,
      refunded_total_cents: 10 ** 11,
      charge_total_cents: 10 ** 11,
    });
    await allAtOnce(40, (i) => shop.refund(large(i)));
    expect(await shop.saleRow("t")).toMatchObject({ refunded_cents: 1_000 });
  });

  it("a refund can have cancel: false or null, which cancels nothing", async () => {
    for (const cancel of [false, null]) {
      const { giveBack } = await soldOnce();
      expect(await giveBack({ refund_id: "r", refund_amount_cents: 400, cancel })).toMatchObject({
        status: "refunded",
      });
    }
  });

  it("a refund can have an id that looks like code or a keyword, and each id is distinct", async () => {
    const { giveBack } = await soldOnce();
    const ids = ["__proto__", "constructor", "'; drop table refunds; --", "nil", "0", "R", "r"];
    for (const [i, refund_id] of ids.entries()) {
      const reply = await giveBack({ refund_id, refund_amount_cents: 10 });
      expect(reply).toMatchObject({ status: "refunded", refund_id, refunded_total_cents: 10 * (i + 1) });
    }
    expect(await giveBack({ refund_id: "__proto__", cancel: true })).toMatchObject({ refunded_cents: -10 });
  });
});
