import { describe, expect, test } from "vitest";
import {
  checkoutMetadata,
  handleLemonSqueezyEvent,
  type LemonSqueezyEvent,
  verifyLemonSqueezyEvent,
} from "../../sdk/src/lemon-squeezy.ts";
import { createTestClient, testFailure } from "../../sdk/src/testing.ts";
import {
  invoicePaid,
  invoiceRefunded,
  type LemonSqueezyCharge,
  orderCreated,
  orderRefunded,
  signedByLemonSqueezy,
} from "./lemon-squeezy-events.ts";
import { answerWith, callWith, deliverTwice, openShop, unknownSale, unknownSubscription } from "./processor-shop.ts";

const customData = checkoutMetadata({ customerKey: "user-1", clickId: "click-1", programId: 1 });
const first = { id: "1", customData, total: 11_900, tax: 1_900 };
const dayMs = 86_400_000;

const answer = answerWith(handleLemonSqueezyEvent);
const callOf = callWith(answer);

describe("a Lemon Squeezy payment", () => {
  test("a Lemon Squeezy payment is recorded with the amount that the customer paid, without tax, at the time of the order", async () => {
    const at = Date.now() - dayMs;
    expect(await callOf(orderCreated({ ...first, at }))).toEqual({
      method: "trackSale",
      customerExternalId: "user-1",
      clickId: "click-1",
      invoiceId: "order_1",
      amount: 10_000,
      currency: "USD",
      subscriptionId: null,
      saleType: "payment",
      isRecurring: false,
      occurredAt: new Date(at),
    });
  });

  test.each<[string, Partial<LemonSqueezyCharge>, object]>([
    ["a tax that its price includes", { isTaxInclusive: true }, { amount: 10_000 }],
    ["a discount", { total: 9_520, tax: 1_520, discount: 2_000 }, { amount: 8_000 }],
    ["no tax", { tax: 0 }, { amount: 11_900 }],
    ["a currency other than the store's", { currency: "GBP" }, { amount: 10_000, currency: "GBP" }],
    [
      "a currency without decimals",
      { currency: "JPY", total: 1_100, tax: 100, formatted: "¥1,100" },
      { amount: 1_000, currency: "JPY" },
    ],
    ["its full amount, even if it was refunded since", { refunded: 11_900 }, { amount: 10_000 }],
    [
      "its full amount, even if a part was refunded since",
      { refunded: 1_190, status: "partial_refund" },
      { amount: 10_000 },
    ],
  ])("a Lemon Squeezy payment is a sale with %s", async (_, over, expected) => {
    expect(await callOf(orderCreated({ ...first, ...over }))).toMatchObject(expected);
  });

  test.each([
    ["HUF", 199_000, "Ft1,990.00", 199_000],
    ["HUF", 199_000, "1 990 Ft", 199_000],
    ["HUF", 199_000, "", 199_000],
    ["IDR", 7_500_000, "Rp75,000.00", 7_500_000],
    ["COP", 1_990_000, "COP 19,900.00", 1_990_000],
    ["PKR", 140_000, "PKR 1,400.00", 140_000],
    ["JPY", 600, "¥600", 600],
    ["JPY", 60_000, "¥600", 600],
    ["JPY", 60_000, "¥600.00", 600],
    ["JPY", 1_100_000, "¥11,000.00", 11_000],
    ["KRW", 15_000, "₩15,000", 15_000],
    ["KWD", 1_500, "KWD 1.500", 1_500],
    ["KWD", 150, "KWD 1.50", 1_500],
    ["KWD", 1_500_000, "KWD 1,500.000", 1_500_000],
    ["USD", 999, "$9.99", 999],
    ["KWD", 1_234, "KD 1,234", 1_234],
    ["CLF", 12_345, "CLF1.2345", 12_345],
    ["EUR", 199_900, "€1.999,00", 199_900],
    ["SEK", 199_000, "1 990:00 kr", 199_000],
    ["EUR", 1_990, "19€90", 1_990],
    ["BRL", 999, "R$9.99", 999],
  ])(
    "a Lemon Squeezy payment is recorded with the right unit: %s %d shown as %j is %d",
    { tags: "finding" },
    async (currency, total, formatted, amount) => {
      const order = { ...first, currency, total, tax: 0, formatted };
      expect(await callOf(orderCreated(order))).toMatchObject({ amount, currency });
      const refund = await callOf(orderRefunded({ ...order, refunded: total }));
      expect(refund).toMatchObject({ refundedTotal: total, chargeTotal: total });
    },
  );

  test("a Lemon Squeezy payment for a renewal is a sale with the invoice's id, and with the customer, or else only the subscription", async () => {
    const renewal = { ...first, subscription: 7 };
    expect(await callOf(invoicePaid(renewal))).toMatchObject({
      customerExternalId: "user-1",
      invoiceId: "subscription_invoice_1",
      amount: 10_000,
      subscriptionId: "7",
      saleType: "subscription",
      isRecurring: "auto",
    });
    const { customData: _, ...nameless } = renewal;
    const call = await callOf(invoicePaid(nameless));
    expect(call).toMatchObject({ subscriptionId: "7", isRecurring: "auto" });
    expect(call).not.toHaveProperty("customerExternalId");
    const unknown = await answer(invoicePaid(nameless), createTestClient({ trackSale: unknownSubscription }));
    expect(unknown).toMatchObject({ status: 200, problems: [expect.stringMatching(/subscription 7.*Import/)] });
  });

  test.each([
    ["the first invoice, which is an order", invoicePaid({ ...first, reason: "initial" })],
    ["a free order", orderCreated({ ...first, total: 0, tax: 0 })],
    ["an order that isn't paid", orderCreated({ ...first, status: "pending" })],
    ["a failed order", orderCreated({ ...first, status: "failed" })],
    ["an order without refunds", orderRefunded(first)],
    ["an event of another type", { ...orderCreated(first), meta: { event_name: "subscription_created" } }],
    [
      "an event named like a member of JavaScript objects",
      { ...orderCreated(first), meta: { event_name: "toString" } },
    ],
  ])("a Lemon Squeezy payment isn't recorded for %s", async (_, event) => {
    expect(await answer(event)).toMatchObject({ status: 200, calls: [], problems: [] });
  });

  test.each([
    ["without our metadata", orderCreated({ ...first, customData: { user_id: "1" } }), "names no customer"],
    ["of another program", orderCreated({ ...first, customData: { ...customData, program_id: "2" } }), "program 2"],
    [
      "with amounts in the main unit",
      orderCreated({ ...first, currency: "KWD", total: 119, tax: 19, formatted: "KD 119.000" }),
      "119 KWD",
    ],
    ["without an id", orderCreated({ ...first, id: "" }), "data.id is missing"],
    [
      "with amounts in an unknown unit",
      orderCreated({ ...first, currency: "JPY", formatted: "¥118" }),
      "its unit isn't known",
    ],
    ["with amounts whose unit isn't shown", orderCreated({ ...first, currency: "JPY", formatted: "" }), "11900 JPY"],
    ["in an unknown currency", orderCreated({ ...first, currency: "?" }), "order_created 1"],
    ["with a fraction of a cent", orderCreated({ ...first, total: 11_900.5 }), "total isn't an amount"],
  ])("a Lemon Squeezy payment %s is ignored with 200, and reported", async (_, event, message) => {
    expect(await answer(event)).toMatchObject({ status: 200, calls: [], problems: [expect.stringContaining(message)] });
  });

  test("a Lemon Squeezy payment in test mode is recorded in the test book, or as a live payment if `staging` is set", async () => {
    const event = orderCreated({ ...first, isTest: true });
    expect(await callOf(event)).toMatchObject({ method: "trackTestSale" });
    expect(await callOf(event, { staging: true })).toMatchObject({ method: "trackSale" });
    expect(await callOf(orderRefunded({ ...first, isTest: true, refunded: 1 }))).toMatchObject({ testMode: true });
  });

  test("a Lemon Squeezy payment is answered with 503 and reported while the service is unreachable, because Lemon Squeezy soon gives up", async () => {
    const away = createTestClient({ trackSale: async () => testFailure(503) });
    expect(await answer(orderCreated(first), away)).toMatchObject({ status: 503, problems: [expect.anything()] });
  });
});

describe("a Lemon Squeezy refund", () => {
  test.each([
    ["of an order", orderRefunded({ ...first, refunded: 2_380 }), "order_1"],
    ["of a renewal", invoiceRefunded({ ...first, refunded: 2_380 }), "subscription_invoice_1"],
  ])("a Lemon Squeezy refund %s is reported by its running total, with tax", async (_, event, id) => {
    expect(await callOf(event)).toMatchObject({
      method: "trackRefund",
      invoiceId: id,
      refundId: id,
      refundedTotal: 2_380,
      chargeTotal: 11_900,
    });
  });

  test("a Lemon Squeezy refund is a full refund if the webhook doesn't contain the amount yet", async () => {
    const { meta, data } = orderRefunded({ ...first, refunded: 11_900 });
    const { refunded_amount: _, ...older } = data.attributes as { refunded_amount: number };
    const call = await callOf({ meta, data: { ...data, attributes: older } });
    expect(call).toMatchObject({ refundedTotal: 11_900, chargeTotal: 11_900 });
  });

  test("a Lemon Squeezy refund without an amount is a full refund, unless its status says that it is partial", {
    tags: "finding",
  }, async () => {
    const event = (own: object) => {
      const { meta, data } = orderRefunded({ ...first, refunded: 11_900 });
      return { meta, data: { ...data, attributes: { ...data.attributes, refunded_amount: 0, ...own } } };
    };
    expect(await callOf(event({}))).toMatchObject({ refundedTotal: 11_900, chargeTotal: 11_900 });
    expect(await answer(event({ status: "partial_refund" }))).toMatchObject({ status: 200, calls: [] });
  });

  test("a Lemon Squeezy refund of a subscription's first invoice is ignored, because the order's event reports the same refund", async () => {
    const event = invoiceRefunded({ ...first, reason: "initial", refunded: 2_380 });
    expect(await answer(event)).toMatchObject({
      status: 200,
      calls: [],
      problems: [expect.stringContaining("order_refunded")],
    });
  });

  test.each([
    ["our metadata", customData, 503],
    ["none of our metadata", { user_id: "1" }, 200],
    ["another program's metadata", { ...customData, program_id: "2" }, 200],
  ])(
    "a Lemon Squeezy refund that arrives before its sale and has %s is reported, and is retried if the sale can still follow",
    async (_, data, status) => {
      const ahead = createTestClient({ trackRefund: unknownSale });
      const event = orderRefunded({ ...first, customData: data, refunded: 1_190 });
      expect(await answer(event, ahead)).toMatchObject({ status, problems: [expect.anything()] });
    },
  );
});

describe("a Lemon Squeezy webhook", () => {
  const body = JSON.stringify(orderCreated(first), null, 2);

  test("a Lemon Squeezy webhook is verified by its signature", async () => {
    const headers = signedByLemonSqueezy(body, "secret-a");
    const verified = { ok: true, event: JSON.parse(body) };
    expect(await verifyLemonSqueezyEvent(body, headers, "secret-a")).toEqual(verified);
    expect(await verifyLemonSqueezyEvent(body, new Headers(headers), ["secret-b", "secret-a"])).toEqual(verified);
  });

  test.each([
    ["another secret", signedByLemonSqueezy(body, "other"), "bad_signature"],
    ["another body", signedByLemonSqueezy(`${body} `, "secret"), "bad_signature"],
    ["no header", {}, "missing_header"],
    [
      "half a signature",
      { "x-signature": signedByLemonSqueezy(body, "secret")["x-signature"].slice(32) },
      "bad_signature",
    ],
  ])("a Lemon Squeezy webhook is refused if it has %s", async (_, headers, reason) => {
    expect(await verifyLemonSqueezyEvent(body, headers, "secret")).toEqual({ ok: false, reason });
  });

  test("a Lemon Squeezy webhook is refused without a secret, or if it isn't an event", async () => {
    expect(await verifyLemonSqueezyEvent(body, signedByLemonSqueezy(body, "x"), "")).toMatchObject({ ok: false });
    for (const text of ["[]", "{", '{"meta":{},"data":{}}']) {
      const refused = await verifyLemonSqueezyEvent(text, signedByLemonSqueezy(text, "s"), "s");
      expect(refused).toEqual({ ok: false, reason: "not_json" });
    }
  });
});

test("orders, renewals and refunds of Lemon Squeezy give the right commissions if each event is delivered twice", async () => {
  const { tributary, keys, sales, problems } = await openShop();
  const deliver = (event: LemonSqueezyEvent) => handleLemonSqueezyEvent(event, { tributary });
  const start = { ...first, customData: keys, at: Date.now() - dayMs };
  const second = { ...start, id: "2", at: Date.now() - dayMs / 2 };
  const early = orderRefunded({ ...start, refunded: 1_190 });
  expect(await deliver(early)).toMatchObject({ status: 503, body: expect.stringContaining("Sale not found") });
  const { customData: _, ...nameless } = second;
  const events = [
    orderCreated(start),
    invoicePaid(second),
    invoicePaid({ ...nameless, id: "3" }),
    early,
    orderRefunded({ ...start, refunded: 3_570 }),
    invoiceRefunded({ ...second, refunded: 11_900 }),
  ];
  const twice = ["Recorded.", "Already recorded."];
  expect(await deliverTwice(events, deliver)).toEqual(events.flatMap(() => twice));
  expect(await deliver(early)).toMatchObject({ body: "Already recorded." });
  expect(await sales()).toEqual([
    { id: "order_1", amount: 10_000, currency: "USD", isRecurring: false, refunded: 3_000, commission: 1_400 },
    {
      // The order before the renewal doesn't contain its subscription.
      id: "subscription_invoice_2",
      amount: 10_000,
      currency: "USD",
      isRecurring: false,
      refunded: 10_000,
      commission: 0,
    },
    {
      id: "subscription_invoice_3",
      amount: 10_000,
      currency: "USD",
      isRecurring: true,
      refunded: 0,
      commission: 2_000,
    },
  ]);
  expect(problems).toEqual([expect.stringContaining("Sale not found")]);
});
