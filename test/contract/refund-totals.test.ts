import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { at, daysAgo, stateOf } from "../support/program-fixture.ts";
import { allAtOnce, createSalesFixture, soldOnce } from "../support/sales-fixture.ts";

const total = (refunded_total_cents: number, refund_id?: string) => ({
  refunded_total_cents,
  ...(refund_id !== undefined && { refund_id }),
});

describe("running totals of refunds", () => {
  it("running totals with different refund_ids are added up, and each call refunds the increase of its refund_id's total", async () => {
    const { giveBack } = await soldOnce();
    const told: [JsonObject, object][] = [
      [total(300, "ch_1"), { status: "refunded", refunded_cents: 300, refunded_total_cents: 300, refund_id: "ch_1" }],
      [total(200, "ch_2"), { status: "refunded", refunded_cents: 200, refunded_total_cents: 500 }],
      [total(400, "ch_1"), { status: "refunded", refunded_cents: 100, refunded_total_cents: 600 }],
      [
        total(400, "ch_1"),
        { status: "skipped", reason: "already refunded", refunded_cents: 0, refunded_total_cents: 600 },
      ],
      [total(399, "ch_1"), { status: "skipped", reason: "already refunded", refunded_cents: 0 }],
      [total(600, "ch_2"), { status: "reversed", refunded_cents: 400, refunded_total_cents: 1_000 }],
    ];
    for (const [request, reply] of told) expect(await giveBack(request)).toMatchObject(reply);
  });

  it("a running total without a refund_id is for the whole sale, and refunds only what exceeds the sum of the refunds with an id", async () => {
    const { giveBack } = await soldOnce();
    const told: [JsonObject, object][] = [
      [{ refund_amount_cents: 100, refund_id: "r" }, { refunded_total_cents: 100 }],
      [total(200, "ch_1"), { refunded_total_cents: 300 }],
      [total(300), { status: "skipped", reason: "already refunded", refunded_total_cents: 300 }],
      [total(450), { refunded_cents: 150, refunded_total_cents: 450 }],
      [total(300, "ch_1"), { refunded_cents: 0, refunded_total_cents: 450 }],
      [total(400, "ch_1"), { refunded_cents: 50, refunded_total_cents: 500 }],
    ];
    for (const [request, reply] of told) expect(await giveBack(request)).toMatchObject(reply);
  });

  it("running totals above the sale's amount count as the whole sale", async () => {
    for (const request of [total(5_000), total(5_000, "ch_1")]) {
      const { giveBack } = await soldOnce();
      await giveBack({ refund_amount_cents: 400, refund_id: "r" });
      const whole = {
        status: "reversed",
        refunded_cents: 600,
        refunded_total_cents: 1_000,
        commission_amount_cents: 0,
      };
      expect(await giveBack(request)).toMatchObject(whole);
    }
  });

  it.each<[string, JsonObject, JsonObject]>([
    ["running totals", total(500, "order-1"), total(1_001, "order-1")],
    [
      "refunds with the charge's total",
      { refund_id: "a", refund_amount_cents: 500, charge_total_cents: 1_000 },
      { refund_id: "b", refund_amount_cents: 501, charge_total_cents: 1_000 },
    ],
  ])(
    "refunds that exceed the sale by one cent because of rounding count as the whole sale: %s",
    { tags: ["finding"] },
    async (_, first, second) => {
      const { giveBack } = await soldOnce();
      expect(await giveBack(first)).toMatchObject({ status: "refunded", refunded_total_cents: 500 });
      expect(await giveBack(second)).toMatchObject({ status: "reversed", refunded_total_cents: 1_000 });
    },
  );

  it("a running total is skipped if its occurred_at is earlier than that of the newest call with the same refund_id", async () => {
    const { shop, giveBack } = await soldOnce();
    const told = (cents: number, days: number) => giveBack({ ...total(cents, "ch_1"), occurred_at: at(daysAgo(days)) });
    await told(300, 2);
    const before = await stateOf(shop);
    const older = { status: "skipped", reason: "older", refunded_cents: 0, refunded_total_cents: 300 };
    expect(await told(500, 3)).toMatchObject(older);
    expect(await stateOf(shop)).toEqual(before);
    expect(await told(500, 1)).toMatchObject({ status: "refunded", refunded_cents: 200 });
  });

  it("running totals sent several times in parallel are deduplicated", async () => {
    const { shop, giveBack, sale } = await soldOnce();
    await allAtOnce(30, (i) => giveBack(total([100, 250, 400][i % 3] ?? 0, "ch_1")));
    expect(await shop.saleRow("t")).toMatchObject({ refunded_cents: 400 });
    expect(await shop.commission(sale.commission_id)).toMatchObject({ amount_cents: 123 });
  });
});

describe("the same refunds in any order", () => {
  const told: readonly JsonObject[] = [
    { refund_id: "a", refund_amount_cents: 150 },
    { refund_id: "b", refunded_total_cents: 200, occurred_at: at(daysAgo(0.2)) },
    { refund_id: "c", refunded_total_cents: 100 },
    { refund_id: "a", cancel: true },
    { refund_id: "d", refunded_total_cents: 291, charge_total_cents: 1_166 },
  ];
  const orders = [
    [0, 1, 2, 3, 4],
    [4, 3, 2, 1, 0],
    [3, 0, 4, 1, 2],
    [2, 4, 0, 3, 1],
  ];

  it("the same refunds have the same result in any sequence", async () => {
    // Refunds b and c take 200 + 100, and refund d of the charge takes 1000 · 291 / 1166 = 249.57. The commission left
    // is 205 · 450 / 1000 = 92.25.
    for (const order of orders) {
      const { shop, giveBack, sale } = await soldOnce();
      for (const i of order) await giveBack(told[i]);
      expect(await shop.saleRow("t"), String(order)).toMatchObject({ refunded_cents: 550 });
      expect(await shop.commission(sale.commission_id), String(order)).toMatchObject({ amount_cents: 92 });
    }
  });

  it("the same refunds have the same result in parallel", async () => {
    const { shop, giveBack, sale } = await soldOnce();
    await Promise.all([...told, ...told].map(giveBack));
    expect(await shop.saleRow("t")).toMatchObject({ refunded_cents: 550 });
    expect(await shop.commission(sale.commission_id)).toMatchObject({ amount_cents: 92 });
  });
});

describe("a conflicting refund", () => {
  it.each<[string, JsonObject, JsonObject, string[]]>([
    ["amount, then total", { refund_amount_cents: 300 }, total(400), ["refunded_total_cents"]],
    ["total, then amount", total(300), { refund_amount_cents: 300 }, ["refund_amount_cents"]],
    ["a total, then the remaining amount", total(300), {}, ["refunded_total_cents"]],
    ["the remaining amount, then a total", {}, total(1_000), ["refunded_total_cents"]],
    ["a different amount", { refund_amount_cents: 300 }, { refund_amount_cents: 301 }, ["refund_amount_cents"]],
    [
      "a different charge total",
      { ...total(300), charge_total_cents: 1_166 },
      { ...total(400), charge_total_cents: 1_167 },
      ["charge_total_cents"],
    ],
    [
      "with a charge total, then without",
      { ...total(300), charge_total_cents: 1_166 },
      total(400),
      ["charge_total_cents"],
    ],
    [
      "without a charge total, then with",
      total(300),
      { ...total(400), charge_total_cents: 1_166 },
      ["charge_total_cents"],
    ],
    [
      "amount, then total of a charge",
      { refund_amount_cents: 300 },
      { ...total(400), charge_total_cents: 1_166 },
      ["refunded_total_cents", "charge_total_cents"],
    ],
  ])(
    "a conflicting refund returns 409 with the differences, and changes nothing: %s",
    async (_what, first, second, differences) => {
      const { shop, giveBack } = await soldOnce();
      await giveBack({ refund_id: "r", ...first });
      const before = await stateOf(shop);
      const reply = await shop.giveBack("t", { refund_id: "r", ...second });
      const message = "Duplicate refund_id. This refund has already been recorded differently.";
      expect(reply).toMatchObject({
        status: 409,
        body: { error: { name: "ConflictError", message, details: { differences } } },
      });
      expect(await stateOf(shop)).toEqual(before);
    },
  );

  it("a conflicting refund returns 409 if its charge_total_cents differs from an earlier refund's of the same sale, even with another refund_id", async () => {
    const { shop, giveBack } = await soldOnce();
    await giveBack({ ...total(300, "a"), charge_total_cents: 1_166 });
    const reply = await shop.giveBack("t", { ...total(300, "b"), charge_total_cents: 1_000 });
    expect(reply).toMatchObject({ status: 409, body: { error: { details: { differences: ["charge_total_cents"] } } } });
    expect(await giveBack({ ...total(100, "b") })).toMatchObject({ status: "refunded", refunded_cents: 100 });
  });
});

describe("charge_total_cents", () => {
  const charged = (charge_total_cents: number, body: JsonObject) => ({
    charge_total_cents,
    refund_id: "ch_1",
    ...body,
  });
  /** Records a sale of 49.00 with a commission of 30 percent. Returns a function that refunds it. */
  async function sold(amount_cents = 4_900) {
    const shop = await createSalesFixture({ policies: [{ rateBps: 3_000 }] });
    await shop.refer("c1");
    await shop.sell({ transaction_id: "t", amount_cents });
    return (body: JsonObject) => shop.giveBack("t", body);
  }

  it.each<[string, number, JsonObject, object]>([
    [
      "sale net of tax, fully refunded",
      5_831,
      total(5_831),
      { status: "reversed", refunded_cents: 4_900, commission_reversed_cents: 1_470, commission_amount_cents: 0 },
    ],
    [
      "sale net of tax, half refunded",
      5_831,
      total(2_915),
      { status: "refunded", refunded_cents: 2_450, commission_reversed_cents: 735, commission_amount_cents: 735 },
    ],
    [
      "sale net of tax, refunded by an amount",
      5_831,
      { refund_amount_cents: 2_915 },
      { status: "refunded", refunded_cents: 2_450, commission_amount_cents: 735 },
    ],
    [
      "sale partly paid from a balance, fully refunded",
      2_900,
      total(2_900),
      { status: "reversed", refunded_cents: 4_900, commission_amount_cents: 0 },
    ],
    [
      "sale partly paid from a balance, half refunded",
      2_900,
      { refund_amount_cents: 1_450 },
      { status: "refunded", refunded_cents: 2_450, commission_amount_cents: 735 },
    ],
    ["a total above the charge", 5_831, total(9_999), { status: "reversed", refunded_cents: 4_900 }],
    [
      "an amount above the charge",
      5_831,
      { refund_amount_cents: 9_999 },
      { status: "reversed", refunded_cents: 4_900 },
    ],
    ["a share that rounds to zero", 100_000, total(1), { status: "refunded", refunded_cents: 0 }],
    ["half a cent, rounded up", 9_800, total(1), { status: "refunded", refunded_cents: 1 }],
  ])("charge_total_cents scales refunds to the sale: %s", async (_what, charge, body, reply) => {
    expect((await (await sold())(charged(charge, body))).body).toMatchObject(reply);
  });

  it("charge_total_cents scales the sum of the refunds before rounding, so that refunds adding up to the charge equal the sale", async () => {
    const giveBack = await sold(1_000);
    const totals = [];
    for (const refund_id of ["a", "b", "c"]) {
      totals.push((await giveBack(charged(3, { refund_id, refund_amount_cents: 1 }))).body.refunded_total_cents);
    }
    expect(totals).toEqual([333, 667, 1_000]);
  });

  it("charge_total_cents scales refunds exactly, even if the product exceeds 2^53", async () => {
    const giveBack = await sold(99_999_999_999);
    const { body } = await giveBack(charged(99_999_999_998, total(33_333_333_333)));
    expect(body).toMatchObject({ refunded_cents: 33_333_333_333 });
  });

  it("charge_total_cents doesn't scale refunds that were sent without it", async () => {
    const giveBack = await sold();
    await giveBack({ refund_id: "r", refund_amount_cents: 100 });
    expect((await giveBack(charged(9_800, total(400)))).body).toMatchObject({
      refunded_cents: 200,
      refunded_total_cents: 300,
    });
    expect((await giveBack({ refund_id: "r2", refund_amount_cents: 50 })).body).toMatchObject({
      refunded_total_cents: 350,
    });
  });
});
