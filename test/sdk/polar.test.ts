import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { checkoutMetadata, handlePolarEvent, type PolarEvent, verifyPolarEvent } from "../../sdk/src/polar.ts";
import { createTestClient, testFailure } from "../../sdk/src/testing.ts";
import { orderPaid, orderRefunded, refundUpdated, signedByPolar } from "./polar-events.ts";
import { answerWith, callWith, deliverTwice, openShop, unknownSale, unknownSubscription } from "./processor-shop.ts";

const metadata = checkoutMetadata({ customerKey: "user-1", clickId: "click-1", programId: 1 });
const first = { id: "order-1", metadata, net: 10_000, tax: 1_900 };
const subscribing = { ...first, subscription: "sub-1", reason: "subscription_create" } as const;
const dayMs = 86_400_000;

const answer = answerWith(handlePolarEvent);
const callOf = callWith(answer);

describe("a Polar payment", () => {
  test("a Polar payment is a sale of the amount that the customer paid, without tax, at the time of the order", async () => {
    const at = Date.now() - dayMs;
    expect(await callOf(orderPaid({ ...subscribing, at }))).toEqual({
      method: "trackSale",
      customerExternalId: "user-1",
      clickId: "click-1",
      invoiceId: "order-1",
      amount: 10_000,
      currency: "USD",
      subscriptionId: "sub-1",
      saleType: "subscription",
      isRecurring: false,
      occurredAt: new Date(at),
      items: [{ productId: "d8dd2de1-21b7-4a41-8bc3-ce909c0cfe23", amount: 10_000, quantity: 1 }],
    });
  });

  test.each([
    ["a discount", { net: 8_000, tax: 1_520, discount: 2_000 }, { amount: 8_000 }],
    ["a balance that pays half of it", { balance: -5_950 }, { amount: 5_000, items: [{ amount: 5_000 }] }],
    ["a balance that increases it", { balance: 1_000 }, { amount: 10_000 }],
    ["no tax", { tax: 0 }, { amount: 10_000 }],
    ["a currency without decimals", { currency: "jpy", net: 1_000, tax: 100 }, { amount: 1_000, currency: "JPY" }],
    ["a currency that has decimals only at Polar", { currency: "isk" }, { amount: 100, currency: "ISK" }],
    ["a currency that has no decimals only at Polar", { currency: "mga" }, { amount: 1_000_000, currency: "MGA" }],
    ["its full amount, even if it was refunded since", { refunded: 10_000 }, { amount: 10_000 }],
    ["the reason of a purchase", {}, { saleType: "payment", subscriptionId: null, isRecurring: false }],
    [
      ...(["the reason of a renewal", { subscription: "sub-1", reason: "subscription_cycle" }] as const),
      { subscriptionId: "sub-1", isRecurring: "auto" },
    ],
    [
      ...(["the reason of an upgrade", { subscription: "sub-1", reason: "subscription_update" }] as const),
      { isRecurring: "auto" },
    ],
    [
      ...([
        "metadata only on the subscription",
        { metadata: {}, subscription: "s", subscriptionMetadata: metadata },
      ] as const),
      { customerExternalId: "user-1", clickId: "click-1" },
    ],
    ["metadata only on the customer", { metadata: {}, customerMetadata: metadata }, { customerExternalId: "user-1" }],
    ["a number as the program", { metadata: { ...metadata, program_id: 1 } }, { customerExternalId: "user-1" }],
    [
      "a number as the customer",
      { metadata: { ...metadata, svc_customer_key: 12_345 } },
      { customerExternalId: "12345" },
    ],
  ])("a Polar payment is a sale with %s", async (_, over, expected) => {
    expect(await callOf(orderPaid({ ...first, ...over }))).toMatchObject(expected);
  });

  test.each([
    ["right after a trial", "2026-11-28T00:00:00Z", "2026-11-28T00:00:00.000000+00:00", false],
    ["long after a trial", "2026-10-28T00:00:00Z", "2026-11-28T00:00:00Z", "auto"],
    ["without a trial", null, "2026-11-28T00:00:00Z", "auto"],
  ])(
    "a Polar payment for a subscription cycle %s is sent with the right value of isRecurring",
    { tags: "finding" },
    async (_, trialEnd, periodStart, isRecurring) => {
      const cycle = orderPaid({ ...first, subscription: "sub-1", reason: "subscription_cycle" });
      const subscription = { id: "sub-1", metadata: {}, trial_end: trialEnd, current_period_start: periodStart };
      expect(await callOf({ ...cycle, data: { ...cycle.data, subscription } })).toMatchObject({ isRecurring });
    },
  );

  test("a Polar payment is sent with its discount's code and id", async () => {
    const call = await callOf(orderPaid({ ...first, discount: 100 }));
    expect(call).toMatchObject({ couponCodes: ["LAUNCH", "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d"] });
  });

  test.each([
    ["an order that isn't paid", orderPaid({ ...first, isPaid: false })],
    ["an order paid completely from the balance", orderPaid({ ...first, balance: -11_900 })],
    ["a free order", orderPaid({ ...first, net: 0, tax: 0 })],
    ["an order without refunds", orderRefunded(first)],
    ["an event of another type", { ...orderPaid(first), type: "order.created" }],
  ])("a Polar payment isn't recorded for %s", async (_, event) => {
    expect(await answer(event)).toMatchObject({ status: 200, calls: [], problems: [] });
  });

  test.each([
    ["without our metadata", orderPaid({ ...first, metadata: { user: "1" } }), "names no customer"],
    ["of another program", orderPaid({ ...first, metadata: { ...metadata, program_id: 2 } }), "program 2"],
    ["with a fraction of a cent", orderPaid({ ...first, net: 0.5 }), "net_amount isn't an amount"],
  ])("a Polar payment %s is ignored with 200, and reported", async (_, event, message) => {
    expect(await answer(event)).toMatchObject({ status: 200, calls: [], problems: [expect.stringContaining(message)] });
  });

  test("a Polar renewal without Tributary's metadata is recorded by its subscription, or given up at once if the subscription is unknown", async () => {
    const renewal = orderPaid({ ...subscribing, metadata: {}, reason: "subscription_cycle" });
    const call = await callOf(renewal);
    expect(call).toMatchObject({ subscriptionId: "sub-1", isRecurring: "auto" });
    expect(call).not.toHaveProperty("customerExternalId");
    const unknown = await answer(renewal, createTestClient({ trackSale: unknownSubscription }));
    expect(unknown).toMatchObject({ status: 200, problems: [expect.stringMatching(/sub-1.*Import/)] });
  });

  test("a Polar payment is recorded in the test book if it is from the sandbox", async () => {
    expect(await callOf(orderPaid(first), { sandbox: true })).toMatchObject({ method: "trackTestSale" });
    const refund = orderRefunded({ ...first, refunded: 1_000 });
    expect(await callOf(refund, { sandbox: true })).toMatchObject({ testMode: true });
    expect(await callOf(refund)).toMatchObject({ testMode: false });
  });

  test("a Polar payment is answered with 503 while the service is unreachable, so that Polar retries it", async () => {
    const away = createTestClient({ trackSale: async () => testFailure(503) });
    expect(await answer(orderPaid(first), away)).toMatchObject({ status: 503, problems: [expect.anything()] });
  });
});

describe("a Polar refund", () => {
  test("a Polar refund is reported by the running total of its order, without tax", async () => {
    const at = Date.now() - 1_000;
    expect(await callOf(orderRefunded({ ...first, refunded: 2_000 }, at))).toEqual({
      method: "trackRefund",
      invoiceId: "order-1",
      refundId: "order-1",
      refundedTotal: 2_000,
      chargeTotal: 10_000,
      occurredAt: new Date(at),
      testMode: false,
    });
  });

  test("a Polar refund of an order that a balance paid in part is sent as a share of the amount that was paid otherwise", async () => {
    const order = { ...first, tax: 0, balance: -4_000, refunded: 6_000 };
    expect(await callOf(orderRefunded(order))).toMatchObject({ refundedTotal: 6_000, chargeTotal: 6_000 });
  });

  test.each([
    ["our metadata", metadata, 503],
    ["none of our metadata", { user: "1" }, 200],
    ["another program's metadata", { ...metadata, program_id: "2" }, 200],
  ])(
    "a Polar refund that arrives before its sale and has %s is reported, and is retried if the sale can still follow",
    async (_, data, status) => {
      const ahead = createTestClient({ trackRefund: unknownSale });
      const event = orderRefunded({ ...first, metadata: data, refunded: 1_000 });
      expect(await answer(event, ahead)).toMatchObject({ status, problems: [expect.anything()] });
    },
  );

  test.each(["failed", "canceled"] as const)("a %s Polar refund is reported with a remedy", async (status) => {
    const message = expect.stringMatching(/refund-1 .*"order-1".*cancel: true/);
    expect(await answer(refundUpdated("order-1", status))).toMatchObject({
      status: 200,
      calls: [],
      problems: [message],
    });
  });

  test.each(["pending", "succeeded"] as const)(
    "the event of a %s Polar refund is ignored, because the order's event records the refund",
    async (status) => {
      expect(await answer(refundUpdated("order-1", status))).toMatchObject({ status: 200, calls: [], problems: [] });
    },
  );
});

describe("a Polar webhook", () => {
  const body = JSON.stringify(orderPaid(first), null, 2);
  const secret = "polar_whs_a1b2";
  const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1_000) - seconds;

  test("a Polar webhook is verified as by Polar's own library, with the secret in the form that Polar shows", async () => {
    const webhook = new Webhook(Buffer.from(secret).toString("base64"));
    const now = new Date();
    const seconds = Math.floor(now.getTime() / 1_000);
    const signature = webhook.sign("msg_1", now, body);
    const headers = { "webhook-id": "msg_1", "webhook-timestamp": `${seconds}`, "webhook-signature": signature };
    const verified = { ok: true, event: JSON.parse(body) };
    expect(await verifyPolarEvent(body, new Headers(headers), secret)).toEqual(verified);
    expect(await verifyPolarEvent(body, signedByPolar(body, [secret, "b"]), ["c", "b"])).toEqual(verified);
  });

  test("a Polar webhook is verified by both keys that a secret can stand for, and by no other key", {
    tags: "finding",
  }, async () => {
    const bytes = Buffer.from("32 random bytes of a new secret.");
    const standard = `whsec_${bytes.toString("base64")}`;
    const verifiedBy = async (key: string | Buffer, given: string | string[] = standard) =>
      (await verifyPolarEvent(body, signedByPolar(body, [key]), given)).ok;
    expect(await verifiedBy(standard)).toBe(true);
    expect(await verifiedBy(bytes)).toBe(true);
    expect(await verifiedBy(bytes, ["polar_whs_former", standard])).toBe(true);
    const others = [
      Buffer.from(standard, "base64"),
      standard.slice(6),
      Buffer.from(`${bytes} `),
      "whsec_",
      Buffer.alloc(0),
    ];
    for (const key of others) expect(await verifiedBy(key), key.toString()).toBe(false);
    const old = Buffer.from(bytes).toString("base64");
    expect(await verifiedBy(old, old)).toBe(true);
    expect(await verifiedBy(bytes, old)).toBe(false);
    expect(await verifiedBy("whsec_", "whsec_")).toBe(false);
    expect(await verifiedBy("whsec_not base64!", "whsec_not base64!")).toBe(true);
  });

  test.each([
    ["another secret", signedByPolar(body, ["other"]), "bad_signature"],
    ["another body", signedByPolar(`${body} `, [secret]), "bad_signature"],
    ["no header", {}, "missing_header"],
    ["an old time", signedByPolar(body, [secret], secondsAgo(600)), "too_old"],
  ])("a Polar webhook is refused if it has %s", async (_, headers, reason) => {
    expect(await verifyPolarEvent(body, headers, secret)).toEqual({ ok: false, reason });
  });

  test("a Polar webhook is refused without a secret, or if it isn't an event", async () => {
    expect(await verifyPolarEvent(body, signedByPolar(body, [secret]), "")).toMatchObject({ reason: "no_secret" });
    for (const text of ["[]", "{", '{"type":"order.paid"}']) {
      expect(await verifyPolarEvent(text, signedByPolar(text, ["s"]), "s")).toEqual({ ok: false, reason: "not_json" });
    }
  });
});

test("orders, renewals and refunds of Polar give the right commissions if each event is delivered twice", async () => {
  const { tributary, keys, sales, problems } = await openShop();
  const deliver = (event: PolarEvent) => handlePolarEvent(event, { tributary });
  const now = Date.now();
  const start = { ...subscribing, metadata: keys, at: now - 2 * dayMs };
  const renewal = { ...start, id: "order-2", metadata: {}, reason: "subscription_cycle", at: now - dayMs } as const;
  const early = orderRefunded({ ...start, refunded: 1_000 });
  expect(await deliver(early)).toMatchObject({ status: 503, body: expect.stringContaining("Sale not found") });
  const events = [
    orderPaid(start),
    orderPaid(renewal),
    orderPaid({ ...first, id: "order-3", metadata: keys, currency: "jpy", balance: -5_950 }),
    early,
    orderRefunded({ ...start, refunded: 3_000 }),
    orderRefunded({ ...renewal, refunded: 10_000 }),
    orderRefunded({ ...first, id: "order-3", currency: "jpy", balance: -5_950, refunded: 4_050 }),
  ];
  const twice = ["Recorded.", "Already recorded."];
  expect(await deliverTwice(events, deliver)).toEqual(events.flatMap(() => twice));
  expect(await deliver(early)).toMatchObject({ body: "Already recorded." });
  expect(await sales()).toEqual([
    { id: "order-1", amount: 10_000, currency: "USD", isRecurring: false, refunded: 3_000, commission: 1_400 },
    { id: "order-2", amount: 10_000, currency: "USD", isRecurring: true, refunded: 10_000, commission: 0 },
    { id: "order-3", amount: 5_000, currency: "JPY", isRecurring: false, refunded: 5_000, commission: 0 },
  ]);
  expect(problems).toEqual([expect.stringContaining("Sale not found")]);
});
