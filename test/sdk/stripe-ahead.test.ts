import type Stripe from "stripe";
import { handleStripeEvent, type StripeOptions } from "tributary-sdk/stripe";
import { createTestClient, testFailure } from "tributary-sdk/testing";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  checkoutCompleted,
  creditNote,
  disputeEvent,
  invoicePaid,
  refundEvent,
  type StripeEventJson,
} from "../examples/stripe-events.ts";
import { apiVersions, type Payment, paidOnce, renewed, secondsNow, subscribed } from "../examples/stripe-payment.ts";
import { startStripe } from "../examples/stripe-server.ts";

const keys = { svc_customer_key: "user-1", program_id: "1" };
const none = { api: apiVersions[2], metadata: {}, clientReference: null } as const;
/** An event in its third day of delivery. */
const old = secondsNow() - 60 * 3_600;

const refusing = (status: number, name: string, message: string, details = {}) => {
  const failure = testFailure(status, name, false);
  return async () => ({ ...failure, error: { ...failure.error, message, details } });
};
const unknownSale = () => createTestClient({ trackRefund: refusing(404, "NotFoundError", "Sale not found") });
const unknownSubscription = () =>
  createTestClient({
    trackSale: async (sale) => {
      if ("customerExternalId" in sale) return createTestClient().trackSale(sale);
      return refusing(400, "BadRequestError", "unknown", { unknownSubscriptionId: true })();
    },
  });

async function answer(event: StripeEventJson, tributary = createTestClient(), options: Partial<StripeOptions> = {}) {
  const { status, body } = await handleStripeEvent(event, { tributary, ...options });
  return { status, body, problems: tributary.problems.map(({ message }) => message) };
}

async function stripeWith(...payments: readonly Payment[]): Promise<Stripe> {
  const server = await startStripe();
  server.payments.push(...payments);
  return server.stripe;
}

afterEach(() => void vi.useRealTimers());

describe("a Stripe refund delivered before its sale", () => {
  const events = {
    "a refund": (payment: Payment) => refundEvent(payment, { id: "re_1", amount: 900 }),
    "a dispute": (payment: Payment) => disputeEvent(payment, { id: "dp_1", amount: 900 }, "funds_withdrawn"),
  };

  test.each<[string, Payment]>([
    ["the payment", paidOnce({ ...none, session: "", intentMetadata: keys })],
    ["the session", paidOnce({ ...none, metadata: keys })],
    ["the session as its client_reference_id", paidOnce({ ...none, clientReference: "user-1" })],
    ["the invoice's session", subscribed({ ...none, metadata: keys, subscriptionMetadata: {} })],
    ["the subscription", subscribed({ ...none, session: "", subscriptionMetadata: keys })],
    ["the Stripe customer", subscribed({ ...none, session: "", customerMetadata: keys })],
    ["the customer of a single payment", paidOnce({ ...none, session: "", customerMetadata: keys })],
    ["an invoice of the API before basil", subscribed({ ...none, api: apiVersions[0], subscriptionMetadata: keys })],
  ])(
    "a Stripe refund delivered before its sale is retried for three days if Tributary's metadata is on %s, because a sale is expected",
    async (_, payment) => {
      const stripe = await stripeWith(payment);
      for (const eventOf of Object.values(events)) {
        const event = eventOf(payment);
        expect(await answer(event, unknownSale(), { stripe })).toMatchObject({ status: 503, problems: [] });
        const late = await answer({ ...event, created: old }, unknownSale(), { stripe });
        expect(late).toMatchObject({ status: 503, problems: [expect.stringContaining("Sale not found")] });
      }
    },
  );

  test.each<[string, Payment]>([
    ["a guest's payment", paidOnce(none)],
    ["a renewal", renewed(subscribed({ ...none, session: "" }))],
  ])(
    "a Stripe refund delivered before its sale is given up at once if no object of its payment has Tributary's metadata: %s",
    async (_, payment) => {
      const stripe = await stripeWith(payment);
      for (const eventOf of Object.values(events)) {
        const given = await answer(eventOf(payment), unknownSale(), { stripe });
        expect(given).toMatchObject({ status: 200, problems: [expect.stringContaining("none of our metadata")] });
      }
    },
  );

  test("a Stripe refund delivered before its sale is given up at once if it belongs to another program", async () => {
    const payment = paidOnce({ ...none, metadata: { ...keys, program_id: "2" } });
    const given = await answer(events["a refund"](payment), unknownSale(), { stripe: await stripeWith(payment) });
    expect(given).toMatchObject({ status: 200, problems: [expect.stringContaining("belongs to program 2")] });
  });

  test("a Stripe refund delivered before its sale is looked up by its invoice if it is a credit note", async () => {
    const [ours, theirs] = [subscribed({ ...none, subscriptionMetadata: keys }), subscribed(none)];
    const stripe = await stripeWith(ours, theirs);
    const note = (payment: Payment) => creditNote(payment, { id: "cn_1", amount: 500, outOfBand: 500 });
    expect((await answer(note(ours), unknownSale(), { stripe })).status).toBe(503);
    expect((await answer(note(theirs), unknownSale(), { stripe })).status).toBe(200);
  });
});

describe("a Stripe renewal of an unknown subscription", () => {
  test("a Stripe renewal of an unknown subscription is given up at once and reported with a remedy if no Stripe object has Tributary's metadata", async () => {
    const renewal = renewed(subscribed({ ...none, session: "" }));
    const tributary = unknownSubscription();
    const given = await answer(invoicePaid(renewal), tributary, { stripe: await stripeWith(renewal) });
    const message = expect.stringMatching(new RegExp(`subscription ${renewal.subscription},.*Import .*first payment`));
    expect(given).toMatchObject({ status: 200, problems: [message] });
    expect(tributary.calls).toHaveLength(1);
  });

  test("a Stripe session without Tributary's metadata is recorded with the metadata of its subscription", async () => {
    const first = subscribed({ ...none, subscriptionMetadata: keys });
    const tributary = unknownSubscription();
    const given = await answer(checkoutCompleted(first), tributary, { stripe: await stripeWith(first) });
    expect(given).toMatchObject({ status: 200, problems: [] });
    expect(tributary.calls.at(-1)).toMatchObject({
      arguments: [{ customerExternalId: "user-1", invoiceId: first.invoice }, {}],
    });
    const foreign = subscribed(none);
    const options = { stripe: await stripeWith(foreign) };
    expect(await answer(checkoutCompleted(foreign), unknownSubscription(), options)).toMatchObject({ status: 200 });
  });
});

describe("a Stripe client_reference_id", () => {
  const session = checkoutCompleted(paidOnce({ ...none, clientReference: "cart-17" }));
  const sale = {
    success: true,
    message: "Recorded",
    saleId: 1,
    commissionId: 1,
    attributed: false,
    commission: { amountCents: 0, currency: "EUR", status: "void", holdUntil: null, unconfirmed: false, held: false },
  } as const;
  const success = { ok: true, status: 200, error: null, requestId: null } as const;

  test("a Stripe client_reference_id that isn't a known customer is reported once", async () => {
    const unknown = createTestClient({
      trackSale: async () => ({ ...success, data: { ...sale, reason: "customer_not_found" } }),
    });
    expect(await answer(session, unknown)).toMatchObject({
      status: 200,
      body: "Recorded.",
      problems: [expect.stringMatching(/"cart-17".*client_reference_id.*checkoutMetadata/)],
    });
    const repeated = { ...sale, sameRequest: true, differences: [] };
    const again = createTestClient({
      trackSale: async () => ({ ...success, status: 409, duplicate: true, data: repeated }),
    });
    expect(await answer(session, again)).toMatchObject({ body: "Already recorded.", problems: [] });
  });

  test("a Stripe client_reference_id that is a known customer isn't reported", async () => {
    const known = createTestClient({ trackSale: async () => ({ ...success, data: { ...sale, reason: "no_click" } }) });
    expect(await answer(session, known)).toMatchObject({ body: "Recorded.", problems: [] });
  });
});

test.each([
  ["without data", {}],
  ["with its own data", { data: { reason: "a" } }],
])("a thin Stripe event %s is reported, and is answered with 200", async (_, own) => {
  const thin = { id: "evt_1", object: "v2.core.event", type: "v1.invoice.paid", ...own } as unknown as StripeEventJson;
  expect(await answer(thin)).toMatchObject({ status: 200, problems: [expect.stringContaining("snapshot payloads")] });
});

test("a refund that Stripe delivers again is answered as already recorded", async () => {
  const payment = paidOnce({ ...none, metadata: keys });
  const recorded = await createTestClient().trackRefund({ invoiceId: "pi_1" });
  if (!recorded.ok || recorded.data === null) throw new Error("the double records every refund");
  const skipped = { ...recorded, data: { ...recorded.data, status: "skipped" } } as const;
  const tributary = createTestClient({ trackRefund: async () => skipped });
  const event = refundEvent(payment, { id: "re_1", amount: 900 });
  expect((await answer(event, tributary, { stripe: await stripeWith(payment) })).body).toBe("Already recorded.");
});

test("while Stripe's API doesn't respond, the handler responds 503 after four seconds", async () => {
  vi.useFakeTimers();
  const stripe = { paymentIntents: { retrieve: () => new Promise(() => {}) } } as unknown as Stripe;
  const answered = answer(refundEvent(paidOnce(none), { id: "re_1", amount: 900 }), createTestClient(), { stripe });
  await vi.advanceTimersByTimeAsync(4_000);
  expect(await answered).toMatchObject({ status: 503, problems: [expect.stringContaining("didn't answer within 4")] });
});
