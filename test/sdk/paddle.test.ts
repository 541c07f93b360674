import { describe, expect, test, vi } from "vitest";
import { checkoutMetadata, handlePaddleEvent, type PaddleEvent, verifyPaddleEvent } from "../../sdk/src/paddle.ts";
import { createTestClient, testFailure } from "../../sdk/src/testing.ts";
import { adjusted, completed, type PaddleAdjustment, type PaddlePayment, signedByPaddle } from "./paddle-events.ts";
import { answerWith, callWith, deliverTwice, openShop, unknownSale, unknownSubscription } from "./processor-shop.ts";

const customData = checkoutMetadata({ customerKey: "user-1", clickId: "click-1", programId: 1 });
const first = { id: "txn_1", customData, total: 11_900, tax: 1_900, subscription: "sub_1" };
const dayMs = 86_400_000;

const answer = answerWith(handlePaddleEvent);
const callOf = callWith(answer);

describe("a Paddle payment", () => {
  test("a Paddle payment is a sale of the amount that the customer paid, without tax, at the time of the event", async () => {
    const at = Date.now() - dayMs;
    expect(await callOf(completed({ ...first, at }))).toEqual({
      method: "trackSale",
      customerExternalId: "user-1",
      clickId: "click-1",
      invoiceId: "txn_1",
      amount: 10_000,
      currency: "EUR",
      subscriptionId: "sub_1",
      saleType: "subscription",
      isRecurring: false,
      occurredAt: new Date(at),
      items: [{ productId: "pro_01gsz4t5hdjse780zja8vvr7jg", amount: 10_000, quantity: 2 }],
    });
  });

  test.each<[string, Partial<PaddlePayment>, object]>([
    ["a discount", { total: 9_520, tax: 1_520, discount: 2_000 }, { amount: 8_000, couponCodes: [/^dsc_/] }],
    ["a credit that pays half of it", { credit: 5_950 }, { amount: 5_000, items: [{ amount: 5_000 }] }],
    ["a currency without decimals", { currency: "JPY", total: 1_100, tax: 100 }, { amount: 1_000, currency: "JPY" }],
    ["no tax", { tax: 0 }, { amount: 11_900 }],
    [
      "a number as the customer",
      { customData: { ...customData, svc_customer_key: 12_345 } },
      { customerExternalId: "12345" },
    ],
    ["no subscription", { subscription: null }, { saleType: "payment", subscriptionId: null }],
    ["the origin of a renewal", { origin: "subscription_recurring" }, { isRecurring: "auto" }],
    ["the origin of an upgrade", { origin: "subscription_update" }, { isRecurring: "auto" }],
    [
      "the origin of a renewal, but no subscription",
      { origin: "subscription_recurring", subscription: null },
      { isRecurring: false },
    ],
    ["the origin of a checkout by the API", { origin: "api" }, { isRecurring: false }],
  ])("a Paddle payment is a sale with %s", async (_, over, expected) => {
    const { couponCodes = [], ...rest } = { ...expected } as { couponCodes?: readonly RegExp[] };
    const call = await callOf(completed({ ...first, ...over }));
    expect(call).toMatchObject({
      ...rest,
      ...(couponCodes[0] && { couponCodes: [expect.stringMatching(couponCodes[0])] }),
    });
  });

  test("a Paddle payment isn't a sale if a credit paid all of it, or if it isn't completed", async () => {
    expect(await answer(completed({ ...first, credit: 11_900 }))).toMatchObject({
      status: 200,
      calls: [],
      problems: [],
    });
    const { data, ...paid } = completed(first);
    expect(await answer({ ...paid, data: { ...data, status: "paid" } })).toMatchObject({ status: 200, calls: [] });
    expect(await answer({ ...paid, event_type: "transaction.paid", data })).toMatchObject({ status: 200, calls: [] });
  });

  test("a Paddle payment without Tributary's metadata is answered with 200 and reported, but not recorded", async () => {
    const foreign = await answer(completed({ ...first, customData: { cart: 17 }, subscription: null }));
    expect(foreign).toMatchObject({ status: 200, calls: [], problems: [expect.stringContaining("names no customer")] });
  });

  test("a Paddle payment of another program is answered with 200 and reported, but not recorded", async () => {
    const other = await answer(completed({ ...first, customData: { ...customData, program_id: "2" } }));
    expect(other).toMatchObject({ status: 200, calls: [], problems: [expect.stringContaining("program 2")] });
  });

  test("a Paddle renewal without Tributary's metadata is recorded by its subscription, or given up at once if the subscription is unknown", async () => {
    const renewal = completed({ ...first, id: "txn_2", customData: null, origin: "subscription_recurring" });
    const call = await callOf(renewal);
    expect(call).toMatchObject({ subscriptionId: "sub_1", isRecurring: "auto" });
    expect(call).not.toHaveProperty("customerExternalId");
    const unknown = await answer(renewal, createTestClient({ trackSale: unknownSubscription }));
    expect(unknown).toMatchObject({ status: 200, problems: [expect.stringMatching(/sub_1.*Import/)] });
  });

  test("a Paddle payment is recorded in the test book if it is from a sandbox", async () => {
    expect(await callOf(completed(first), { sandbox: true })).toMatchObject({ method: "trackTestSale" });
    const refund = adjusted({ id: "adj_1", transaction: "txn_1", total: 1_190, tax: 190 });
    expect(await callOf(refund, { sandbox: true })).toMatchObject({ testMode: true });
    expect(await callOf(refund)).toMatchObject({ testMode: false });
  });

  test("a Paddle payment is answered with 503 while the service is unreachable, so that Paddle retries it", async () => {
    const away = createTestClient({ trackSale: async () => testFailure(503) });
    expect(await answer(completed(first), away)).toMatchObject({ status: 503, problems: [expect.anything()] });
  });

  const totalling = (total: string): object => ({ details: { totals: { total, tax: "0", grand_total: total } } });
  const notAmounts = ["1.5", "10.00", " 500 ", "5e2", "0x10", "", "+5", "1,000"];

  test.each<[string, object]>([
    ...notAmounts.map((total): [string, object] => [`the amount "${total}"`, totalling(total)]),
    ["no details", { details: null }],
    ["no currency", { currency_code: "" }],
  ])("a Paddle payment is reported and gets 200 if it has %s", async (_, over) => {
    const { data, ...event } = completed(first);
    const broken = await answer({ ...event, data: { ...data, ...over } });
    expect(broken).toMatchObject({ status: 200, calls: [], problems: [expect.stringContaining("evt_txn_1")] });
  });
});

describe("a Paddle adjustment", () => {
  const adjustment = { id: "adj_1", transaction: "txn_1", total: 1_190, tax: 190 };

  test.each<[string, Partial<PaddleAdjustment>, object]>([
    ["a refund", {}, { refundId: "adj_1", refundedTotal: 1_000, reason: "requested_by_customer" }],
    ["a refund that was approved later", { type: "updated" }, { refundId: "adj_1", refundedTotal: 1_000 }],
    ["a chargeback", { action: "chargeback" }, { refundId: "chargeback_txn_1", refundedTotal: 1_000 }],
    [
      "a chargeback that was won",
      { action: "chargeback_reverse" },
      { refundId: "chargeback_txn_1", cancel: true, refundedTotal: 0 },
    ],
    [
      "a chargeback that is reversed",
      { action: "chargeback", status: "reversed", type: "updated" },
      { refundId: "chargeback_txn_1", cancel: true, refundedTotal: 0 },
    ],
  ])("a Paddle adjustment is recorded if it is %s", async (_, over, expected) => {
    const call = await callOf(adjusted({ ...adjustment, ...over }));
    expect(call).toMatchObject({ method: "trackRefund", invoiceId: "txn_1", ...expected });
  });

  test.each<Partial<PaddleAdjustment>>([
    { status: "pending_approval" },
    { status: "rejected", type: "updated" },
    { action: "credit" },
    { action: "credit_reverse" },
    { action: "chargeback_warning" },
  ])("a Paddle adjustment is ignored if it returns no money: %o", async (over) => {
    expect(await answer(adjusted({ ...adjustment, ...over }))).toMatchObject({ status: 200, calls: [], problems: [] });
  });

  describe("a Paddle adjustment that is delivered before its sale", () => {
    const refund = (at = Date.now()) => adjusted({ ...adjustment, at });
    const ahead = () => createTestClient({ trackRefund: unknownSale });

    test("a Paddle adjustment that is delivered before its sale is retried as long as Paddle delivers it, and reported from the second day on", async () => {
      expect(await answer(refund(), ahead())).toMatchObject({ status: 503, problems: [] });
      const late = await answer(refund(Date.now() - 2.5 * dayMs), ahead());
      expect(late).toMatchObject({ status: 503, problems: [expect.stringContaining("Sale not found")] });
    });

    test.each([
      ["our metadata", customData, 503],
      ["none of our metadata", { cart: 17 }, 200],
      ["no metadata", null, 200],
      ["another program's metadata", { ...customData, program_id: "2" }, 200],
    ])(
      "a Paddle adjustment that is delivered before its sale is retried only if its transaction's custom data has Tributary's metadata: %s",
      async (_, data, status) => {
        const customDataOf = vi.fn(async () => data);
        expect(await answer(refund(), ahead(), { customDataOf })).toMatchObject({ status });
        expect(customDataOf).toHaveBeenCalledExactlyOnceWith("txn_1");
      },
    );

    test("a Paddle adjustment that is delivered before its sale is retried if Paddle's API fails", async () => {
      // Fails like fetch without a connection.
      const customDataOf = () => Promise.reject(new TypeError("fetch failed"));
      const failed = await answer(refund(), ahead(), { customDataOf });
      expect(failed).toMatchObject({ status: 503, problems: [expect.stringContaining("fetch failed")] });
    });
  });
});

test("Paddle events of other kinds are ignored", async () => {
  const event = { event_id: "evt_1", event_type: "subscription.updated", data: {} };
  expect(await answer(event)).toMatchObject({ status: 200, calls: [], problems: [] });
});

describe("a Paddle notification", () => {
  const body = JSON.stringify(completed(first), null, 2);
  const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1_000) - seconds;

  test("a Paddle notification is verified, also while its secret is being replaced by another", async () => {
    const verified = { ok: true, event: JSON.parse(body) };
    expect(await verifyPaddleEvent(body, signedByPaddle(body, ["pdl_ntfset_a"]), "pdl_ntfset_a")).toEqual(verified);
    const both = signedByPaddle(body, ["pdl_ntfset_a", "pdl_ntfset_b"]);
    for (const secret of ["pdl_ntfset_a", "pdl_ntfset_b"]) {
      expect(await verifyPaddleEvent(new TextEncoder().encode(body), new Headers(both), secret)).toEqual(verified);
    }
    expect(await verifyPaddleEvent(body, signedByPaddle(body, ["b"]), ["a", "b"])).toEqual(verified);
  });

  test.each([
    ["another secret", signedByPaddle(body, ["other"]), "bad_signature"],
    ["another body", signedByPaddle(`${body} `, ["secret"]), "bad_signature"],
    ["no header", {}, "missing_header"],
    ["no signature", { "paddle-signature": "ts=1" }, "missing_header"],
    ["an old time", signedByPaddle(body, ["secret"], secondsAgo(600)), "too_old"],
  ])("a Paddle notification is refused if it has %s", async (_, headers, reason) => {
    expect(await verifyPaddleEvent(body, headers, "secret")).toEqual({ ok: false, reason });
  });

  test("a Paddle notification is refused without a secret, and outside a configured tolerance", async () => {
    expect(await verifyPaddleEvent(body, signedByPaddle(body, [""]), "")).toMatchObject({ reason: "no_secret" });
    const late = signedByPaddle(body, ["secret"], secondsAgo(30));
    expect(await verifyPaddleEvent(body, late, "secret", { toleranceSeconds: 5 })).toMatchObject({ reason: "too_old" });
    expect(await verifyPaddleEvent(body, late, "secret")).toMatchObject({ ok: true });
  });

  test("a Paddle notification is refused if it is signed but isn't an event", async () => {
    for (const text of ["[]", "{", '{"event_type":"a"}']) {
      expect(await verifyPaddleEvent(text, signedByPaddle(text, ["s"]), "s")).toEqual({
        ok: false,
        reason: "not_json",
      });
    }
  });
});

test("a Paddle subscription's payments, refunds and chargeback give the right commissions if each event is delivered twice", async () => {
  const { tributary, keys, sales, problems } = await openShop();
  const deliver = (event: PaddleEvent) => handlePaddleEvent(event, { tributary });
  const now = Date.now();
  const start = completed({ ...first, customData: keys, at: now - 2 * dayMs });
  const early = adjusted({ id: "adj_1", transaction: "txn_2", total: 1_190, tax: 190, at: now - 5_000 });
  expect((await deliver(early)).status).toBe(503);
  const events = [
    start,
    completed({ ...first, id: "txn_2", customData: null, origin: "subscription_recurring", at: now - dayMs }),
    completed({ id: "txn_3", customData: keys, total: 1_100, tax: 100, currency: "JPY" }),
    early,
    adjusted({ id: "adj_2", transaction: "txn_2", total: 2_380, tax: 380, status: "pending_approval" }),
    adjusted({ id: "adj_2", transaction: "txn_2", total: 2_380, tax: 380, type: "updated" }),
    adjusted({ id: "adj_3", transaction: "txn_1", total: 11_900, tax: 1_900 }),
    adjusted({ id: "adj_4", transaction: "txn_3", total: 1_100, tax: 100, action: "chargeback", at: now - 4_000 }),
    adjusted({
      id: "adj_5",
      transaction: "txn_3",
      total: 1_100,
      tax: 100,
      action: "chargeback_reverse",
      at: now - 3_000,
    }),
  ];
  const pending = "Nothing to report: the adjustment is pending_approval.";
  const twice = ["Recorded.", "Already recorded."];
  expect(await deliverTwice(events, deliver)).toEqual(events.flatMap((_, i) => (i === 4 ? [pending, pending] : twice)));
  expect(await sales()).toEqual([
    { id: "txn_1", amount: 10_000, currency: "EUR", isRecurring: false, refunded: 10_000, commission: 0 },
    { id: "txn_2", amount: 10_000, currency: "EUR", isRecurring: true, refunded: 3_000, commission: 1_400 },
    { id: "txn_3", amount: 1_000, currency: "JPY", isRecurring: false, refunded: 0, commission: 200 },
  ]);
  // A replay of the earlier chargeback event doesn't undo that the chargeback was won.
  expect(await deliverTwice([events[7] ?? start], deliver)).toEqual(["Already recorded.", "Already recorded."]);
  expect(problems).toEqual([]);
});
