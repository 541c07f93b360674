import type Stripe from "stripe";
import { Tributary } from "tributary-sdk";
import { handleStripeEvent, type StripeOptions } from "tributary-sdk/stripe";
import { createTestClient, testFailure } from "tributary-sdk/testing";
import { describe, expect, test } from "vitest";
import {
  chargeRefunded,
  checkoutCompleted,
  creditNote,
  disputeEvent,
  intentSucceeded,
  invoicePaid,
  refundEvent,
  type StripeEventJson,
} from "../examples/stripe-events.ts";
import { apiVersions, type Payment, paidOnce, renewed, secondsNow, subscribed } from "../examples/stripe-payment.ts";
import { failingStripe, startStripe } from "../examples/stripe-server.ts";

const hourSeconds = 3_600;
const invoiceCreation = { enabled: true } as Stripe.Checkout.Session.InvoiceCreation;
const metadata = { svc_click_id: "click-1", svc_customer_key: "user-1", program_id: "1" };
const payment = (over: Partial<Payment> = {}) => paidOnce({ api: apiVersions[2], metadata, ...over });
const subscription = (over: Partial<Payment> = {}) => subscribed({ api: apiVersions[2], metadata, ...over });
/** An event in its third day of delivery. */
const old = { at: secondsNow() - 60 * hourSeconds };

const refusing = (status: number, name: string, message: string, details = {}) => {
  const failure = testFailure(status, name, false);
  return async () => ({ ...failure, error: { ...failure.error, message, details } });
};
const unknownSubscription = refusing(400, "BadRequestError", "unknown subscription", { unknownSubscriptionId: true });
const unknownSale = refusing(404, "NotFoundError", "Sale not found for transaction_id");

async function answer(event: StripeEventJson, options: Partial<StripeOptions> = {}) {
  const tributary = createTestClient();
  const { status, body } = await handleStripeEvent(event, { tributary, ...options });
  const { problems, calls } = options.tributary ? { problems: [], calls: [] } : tributary;
  return { status, body, problems: problems.map(({ message }) => message), calls };
}

describe("a Stripe payment", () => {
  test.each([
    ["doesn't respond", 0, "NetworkError", true, 503],
    ["is too busy", 429, "TooManyRequestsError", true, 503],
    ["fails", 500, "InternalServerError", true, 503],
    ["gets a revoked key", 401, "UnauthorizedError", false, 503],
    ["gets the call over plain http", 403, "ForbiddenError", false, 503],
    ["isn't reached because a proxy responds 404", 404, "UnreadableAnswerError", true, 503],
    ["isn't reached because a proxy responds 400", 400, "UnreadableAnswerError", true, 503],
    ["refuses the sale", 400, "BadRequestError", false, 200],
    ["refuses the sale as too large", 413, "PayloadTooLargeError", false, 200],
  ] as const)(
    "a Stripe payment gets a response that makes Stripe retry it only if a retry can help: the service %s",
    async (_, status, name, retryable, answered) => {
      const tributary = createTestClient({ trackSale: async () => testFailure(status, name, retryable) });
      const event = checkoutCompleted(payment());
      expect((await handleStripeEvent(event, { tributary })).status).toBe(answered);
      expect(tributary.problems).toHaveLength(1);
      expect(tributary.problems[0]).toMatchObject({ source: "stripe", failure: { status } });
      expect(tributary.problems[0]?.message).toContain(event.id);
      expect(tributary.calls).toMatchObject([{ arguments: [{}, { retries: 0, timeoutMs: 3_000 }] }]);
    },
  );

  test.each([
    [403, "<html>Blocked</html>"],
    [404, "<html>no such page</html>"],
    [301, ""],
    [400, "{}"],
  ])("a Stripe payment gets 503 when another server responds %i instead of the service", async (status, text) => {
    const tributary = new Tributary({
      apiKey: "svc_1_x",
      baseUrl: "https://tributary.example",
      fetch: async () => ({ status, headers: { get: () => null }, text: async () => text }),
      onError: () => {},
    });
    expect((await handleStripeEvent(checkoutCompleted(payment()), { tributary })).status).toBe(503);
  });
});

describe("a Stripe event that can't be sent", () => {
  test.each([
    ["another program's payment", { ...metadata, program_id: "2" }, "belongs to program 2"],
    ["a payment without metadata", {}, "names no customer"],
    ["a blank customer key", { svc_customer_key: " " }, "names no customer"],
    ["a customer key of 256 characters", { svc_customer_key: "x".repeat(256) }, "names no customer"],
    ["a customer key with a line break", { svc_customer_key: "a\nb" }, "names no customer"],
  ])("a Stripe event that can't be sent gets 200 and is reported once because of %s", async (_, own, message) => {
    const event = checkoutCompleted(payment({ metadata: own, clientReference: null }));
    const { status, problems, calls } = await answer(event);
    expect([status, calls]).toEqual([200, []]);
    expect(problems).toEqual([expect.stringContaining(message)]);
  });

  test.each([
    ["a missing object", "checkout.session.completed", null],
    [
      "an invalid amount",
      "invoice.paid",
      { id: "in_1", status: "paid", amount_paid: 1.5, total: 3, total_excluding_tax: 2, currency: "eur" },
    ],
    ["an invoice without a currency", "invoice.paid", { id: "in_1", status: "paid", amount_paid: 5 }],
    [
      "a refund without a currency",
      "charge.refunded",
      { id: "ch_1", amount: 5, amount_refunded: 1, payment_intent: "pi_1", invoice: null },
    ],
  ])("a Stripe event that can't be sent gets 200 and is reported once because it has %s", async (_, type, object) => {
    const event = { ...checkoutCompleted(payment()), type, data: { object: object as object } };
    const { status, problems, calls } = await answer(event, { refundEvents: "charge.refunded" });
    expect([status, calls, problems.length]).toEqual([200, [], 1]);
  });
});

test("a Stripe event that changes nothing is answered with 200 and not reported", async () => {
  const paid = payment();
  const events = [
    { ...checkoutCompleted(paid), type: "customer.created" },
    checkoutCompleted(paid, { payment_status: "unpaid" }),
    checkoutCompleted(paid, { payment_status: "no_payment_required", amount_total: 0 }),
    checkoutCompleted(paid, { mode: "setup", amount_total: null, currency: null }),
    invoicePaid(subscription({ amount: -500 })),
    disputeEvent(paid, { id: "dp_1", amount: 1 }, "created"),
    creditNote(subscription(), { id: "cn_1", amount: 500, outOfBand: 0 }),
  ];
  for (const event of events) {
    expect(await answer(event), event.type).toMatchObject({ status: 200, problems: [], calls: [] });
  }
});

describe("Stripe's test payments", () => {
  test("Stripe's test payments are recorded in the test book", async () => {
    const { calls } = await answer(checkoutCompleted(payment({ livemode: false })));
    expect(calls.map(({ method }) => method)).toEqual(["trackTestSale"]);
    const refund = chargeRefunded(payment({ livemode: false, api: apiVersions[0] }), 900);
    const refunded = await answer(refund, { refundEvents: "charge.refunded" });
    expect(refunded.calls).toMatchObject([{ method: "trackRefund", arguments: [{ testMode: true }, {}] }]);
  });

  test("Stripe's test payments are recorded as live payments if `staging` is set", async () => {
    const { calls } = await answer(checkoutCompleted(payment({ livemode: false })), { staging: true });
    expect(calls.map(({ method }) => method)).toEqual(["trackSale"]);
  });
});

describe("without Stripe's API", () => {
  const paid = payment();
  test.each([
    ["a refund", refundEvent(paid, { id: "re_1", amount: 900 })],
    ["a dispute", disputeEvent(paid, { id: "dp_1", amount: 900 }, "funds_withdrawn")],
    ["a credit note", creditNote(subscription(), { id: "cn_1", amount: 500, outOfBand: 500 })],
  ])("without Stripe's API, %s is retried for a day, and onError reports the missing option", async (_, event) => {
    const young = await answer(event);
    expect([young.status, young.calls]).toEqual([500, []]);
    expect(young.problems).toEqual([expect.stringContaining("pass stripe to handleStripeEvent")]);
    const given = await answer({ ...event, created: old.at });
    expect([given.status, given.problems]).toEqual([200, young.problems]);
  });

  test("without Stripe's API, a charge's refund is sent for its payment, and onError reports the missing invoice if the payment is unknown", async () => {
    const { status, calls } = await answer(chargeRefunded(paid, 900), { refundEvents: "charge.refunded" });
    expect(status).toBe(200);
    expect(calls).toMatchObject([
      { arguments: [{ invoiceId: paid.paymentIntent, refundedTotal: 900, chargeTotal: 4_900 }, {}] },
    ]);
    const tributary = createTestClient({ trackRefund: unknownSale });
    const event = chargeRefunded(paid, 900);
    const options = { tributary, refundEvents: "charge.refunded" } as const;
    expect((await handleStripeEvent(event, options)).status).toBe(500);
    expect(tributary.problems[0]?.message).toContain("the invoice of this charge");
    expect((await handleStripeEvent({ ...event, created: old.at }, options)).status).toBe(200);
  });

  test("without Stripe's API, a failed refund is retried for a day, because its charge's total can't be looked up", async () => {
    const event = refundEvent(paid, { id: "re_1", amount: 900, status: "failed" }, "refund.failed");
    const young = await answer(event, { refundEvents: "charge.refunded" });
    expect([young.status, young.calls, young.problems.length]).toEqual([500, [], 1]);
    const given = await answer({ ...event, created: old.at }, { refundEvents: "charge.refunded" });
    expect([given.status, given.problems]).toEqual([200, young.problems]);
  });

  test("a Stripe charge's refund is ignored with a warning if refundEvents isn't set", async () => {
    const { status, problems, calls } = await answer(chargeRefunded(paid, 900));
    expect([status, calls]).toEqual([200, []]);
    expect(problems).toEqual([expect.stringContaining("refundEvents")]);
    expect((await answer(chargeRefunded(paid, 900), { refundEvents: "refund.*" })).problems).toEqual([]);
  });
});

test("a refund ahead of its sale is retried for a day, and then reported to onError", async () => {
  const tributary = createTestClient({ trackRefund: unknownSale });
  const options = { tributary, refundEvents: "charge.refunded" } as const;
  const event = chargeRefunded(payment({ api: apiVersions[0] }), 900);
  expect(await handleStripeEvent(event, options)).toMatchObject({ status: 503 });
  expect(tributary.problems).toEqual([]);
  expect(await handleStripeEvent({ ...event, created: old.at }, options)).toMatchObject({ status: 200 });
  expect(tributary.problems).toMatchObject([{ message: expect.stringContaining("Sale not found") }]);
});

test("a renewal of an unknown subscription is retried for a day, and then reported to onError", async () => {
  const tributary = createTestClient({ trackSale: unknownSubscription });
  const event = invoicePaid(renewed(subscription({ subscriptionMetadata: {} })));
  expect(await handleStripeEvent(event, { tributary })).toMatchObject({ status: 503 });
  expect(tributary.problems).toEqual([]);
  expect(await handleStripeEvent({ ...event, created: old.at }, { tributary })).toMatchObject({ status: 200 });
  expect(tributary.problems).toMatchObject([{ message: expect.stringContaining("unknown subscription") }]);
});

describe("an event that depends on Stripe's API", () => {
  const event = refundEvent(payment(), { id: "re_1", amount: 900 });

  test("an event that depends on Stripe's API is retried for a day if the API can't be reached", async () => {
    const stripe = { paymentIntents: { retrieve: () => Promise.reject(new TypeError("fetch failed")) } };
    const options = { stripe: stripe as unknown as Stripe };
    expect((await answer(event, options)).status).toBe(503);
    const given = await answer({ ...event, created: old.at }, options);
    expect([given.status, given.problems.length]).toEqual([200, 1]);
  });

  test("an event that depends on Stripe's API is retried while the payment's invoice doesn't exist yet, and sent only with the invoice's id", async () => {
    const { stripe, payments } = await startStripe();
    const invoiced = payment({ invoice: "in_1" });
    const session = checkoutCompleted({ ...invoiced, invoice: null }, { invoice_creation: invoiceCreation });
    payments.push({ ...invoiced, invoice: null });
    const early = await answer(session, { stripe });
    expect([early.status, early.calls]).toEqual([500, []]);
    payments.splice(0, 1, invoiced);
    expect((await answer(session, { stripe })).calls).toMatchObject([{ arguments: [{ invoiceId: "in_1" }, {}] }]);
  });

  test.each([500, 429, 401, 403])("an event is retried at any age if Stripe's API responds with %i", async (status) => {
    const stripe = await failingStripe(status);
    expect((await answer(event, { stripe })).status).toBe(503);
    expect((await answer({ ...event, created: old.at }, { stripe })).status).toBe(503);
  });

  test("an event that depends on Stripe's API is retried for a day if the API doesn't know the payment", async () => {
    const stripe = await failingStripe(404);
    expect((await answer(event, { stripe })).status).toBe(503);
    const given = await answer({ ...event, created: old.at }, { stripe });
    expect([given.status, given.problems.length]).toEqual([200, 1]);
  });
});

test.each([
  ["partly", 5_950, 5_000],
  ["by a small part", 1_500, 1_261],
])(
  "a Stripe payment intent with tax, captured %s, is recorded with its share of the net amount",
  async (_, captured, net) => {
    const own = payment({ amount: captured, uncaptured: 11_900 - captured, intentMetadata: metadata, session: "" });
    const event = intentSucceeded(own);
    Object.assign(event.data.object, { amount_details: { tax: { total_tax_amount: 1_900 } } });
    expect((await answer(event)).calls).toMatchObject([{ arguments: [{ amount: net }, {}] }]);
  },
);

test("a sale has the time of its payment, whichever Stripe event arrives first", async () => {
  const paid = subscription(old);
  const instant = new Date(paid.at * 1_000);
  for (const event of [checkoutCompleted(paid), invoicePaid(paid)]) {
    const { calls } = await answer(event);
    expect(calls).toMatchObject([{ arguments: [{ occurredAt: instant, invoiceId: paid.invoice }, {}] }]);
  }
});

test("a Stripe payment whose time is in the future is sent with the current time", async () => {
  const { calls } = await answer(checkoutCompleted(payment({ at: secondsNow() + 600 })));
  const [sale] = calls[0]?.arguments ?? [];
  expect(sale && "occurredAt" in sale && Number(sale.occurredAt)).toBeLessThanOrEqual(Date.now());
});
