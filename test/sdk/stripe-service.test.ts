import { Tributary } from "tributary-sdk";
import { handleStripeEvent, type StripeOptions } from "tributary-sdk/stripe";
import { expect, test } from "vitest";
import { checkoutCompleted, invoicePaid, refundEvent, type StripeEventJson } from "../examples/stripe-events.ts";
import { apiVersions, type Payment, paidOnce, renewed, secondsNow, subscribed } from "../examples/stripe-payment.ts";
import { startStripe } from "../examples/stripe-server.ts";
import { createProgramFixture, type ProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";

const hourMs = 3_600_000;
const secondsAgo = (hours: number) => secondsNow() - hours * 3_600;

/** Creates the shop's webhook. `deliver` sends it an event. Collects its warnings. */
async function webhookOf(shop: ProgramFixture, options: Partial<StripeOptions> = {}) {
  const messages: string[] = [];
  const hear = ({ message }: { message: string }) => messages.push(message);
  const tributary = new Tributary({
    apiKey: shop.world.key,
    baseUrl: sharedService.url,
    onError: hear,
    onWarning: hear,
  });
  const { stripe, payments } = await startStripe();
  return {
    messages,
    tributary,
    /** Adds payments to the simulated Stripe API. */
    add: (...made: Payment[]) => void payments.push(...made),
    stripe,
    deliver: async (event: StripeEventJson, over: Partial<StripeOptions> = {}) =>
      (await handleStripeEvent(event, { tributary, ...options, ...over })).status,
  };
}

const keysOf = ({ world }: ProgramFixture, customer = "user-1") => ({
  svc_customer_key: customer,
  program_id: String(world.programId),
});

test.each(apiVersions)(
  "a Stripe customer without a click is attributed to the partner of their promotion code, at %s",
  async (api) => {
    const rules = [{ when: { productIds: ["gift"] }, excluded: true }] as const;
    const shop = await createProgramFixture({
      policies: [{ rateBps: 2_000, rules }],
      coupons: [{ codes: ["ALICE10", "promo_1"] }],
    });
    const { deliver, add, stripe, messages } = await webhookOf(shop);
    const promotion = { id: "promo_1", code: "ALICE10", discount: "di_1" };
    const lines = [
      { product: "pro", amount: 3_000, discount: 300, tax: 513 },
      { product: "gift", amount: 1_900, discount: 190, tax: 325 },
    ];
    const first = subscribed({ api, metadata: keysOf(shop), amount: 5_248, tax: 838, promotion, lines });
    const second = renewed(first, { at: secondsNow() });
    add(first, second);
    for (const event of [invoicePaid(first), checkoutCompleted(first), invoicePaid(second)]) {
      expect(await deliver(event, { stripe })).toBe(200);
    }
    expect(messages).toEqual([]);
    // 20% of 27.00, because the gift is excluded.
    const commission = { source: "coupon", partner_id: shop.alice.id, amount_cents: 540 };
    expect(await shop.all("commissions")).toMatchObject([commission, commission]);
  },
);

test("a payment within the attribution window earns, however late its Stripe event arrives, and so do its renewals", async () => {
  const shop = await createProgramFixture({ program: { attributionWindowDays: 1 } });
  const { deliver } = await webhookOf(shop);
  const metadata = { ...keysOf(shop), svc_click_id: shop.click(shop.alice, Date.now() - 25 * hourMs) };
  const first = subscribed({ api: apiVersions[2], metadata, at: secondsAgo(23) });
  const second = renewed(first, { at: secondsAgo(1) });
  for (const event of [invoicePaid(first), invoicePaid(second)]) expect(await deliver(event)).toBe(200);
  expect(await shop.all("commissions")).toMatchObject([{ amount_cents: 980 }, { amount_cents: 980 }]);
});

test("the months of a recurring policy begin with the payment, not with the delivery of its event", async () => {
  const shop = await createProgramFixture({ policies: [{ scope: "recurring", durationMonths: 1 }] });
  const metadata = { ...keysOf(shop), svc_click_id: shop.click(shop.alice, Date.now() - 41 * 24 * hourMs) };
  const { deliver } = await webhookOf(shop);
  const first = subscribed({ api: apiVersions[2], metadata, at: secondsAgo(40 * 24) });
  expect(await deliver(invoicePaid(first))).toBe(200);
  expect(await deliver(invoicePaid(renewed(first, { at: secondsAgo(1) })))).toBe(200);
  const commissions = await shop.all("commissions");
  expect(commissions).toMatchObject([{ amount_cents: 980 }, { status: "void", reason: "commission_duration_over" }]);
});

test("a Stripe refund delivered two days late and before its sale counts once the sale is recorded", async () => {
  const shop = await createProgramFixture();
  const { deliver, add, stripe, messages } = await webhookOf(shop);
  const metadata = { ...keysOf(shop), svc_click_id: shop.click(shop.alice, Date.now() - 60 * hourMs) };
  const payment = paidOnce({ api: apiVersions[2], metadata, at: secondsAgo(50) });
  add(payment);
  const refund = refundEvent(payment, { id: "re_1", amount: 4_900 });
  expect(await deliver(refund, { stripe })).toBe(503);
  expect(await deliver(checkoutCompleted(payment), { stripe })).toBe(200);
  expect(await deliver(refund, { stripe })).toBe(200);
  expect(await shop.all("commissions")).toMatchObject([{ amount_cents: 0, status: "reversed" }]);
  expect(messages).toEqual([expect.stringContaining("Sale not found")]);
});

test("a client_reference_id is reported only if it isn't a known customer", async () => {
  const shop = await createProgramFixture();
  const { deliver, messages } = await webhookOf(shop);
  await shop.lead({ customer_key: "user-1", click_id: shop.click(shop.alice) });
  const paidBy = (clientReference: string) => paidOnce({ api: apiVersions[2], metadata: {}, clientReference });
  expect(await deliver(checkoutCompleted(paidBy("user-1")))).toBe(200);
  expect(messages).toEqual([]);
  const session = checkoutCompleted(paidBy("cart-17"));
  for (const event of [session, session]) expect(await deliver(event)).toBe(200);
  expect(messages).toEqual([expect.stringContaining('the customer "cart-17"')]);
});

test("two Stripe events of one payment cause a warning if their amounts differ, and none if their times differ", async () => {
  const shop = await createProgramFixture();
  const { deliver, messages } = await webhookOf(shop);
  const same = subscribed({ api: apiVersions[2], metadata: keysOf(shop) });
  expect(await deliver(checkoutCompleted(same))).toBe(200);
  expect(await deliver({ ...invoicePaid({ ...same, at: same.at + 5 }) })).toBe(200);
  expect(messages).toEqual([]);
  // Without Stripe's API, the session doesn't show which part the balance paid.
  const covered = subscribed({ api: apiVersions[2], metadata: keysOf(shop), amount: 2_900, balance: 2_000 });
  for (const event of [checkoutCompleted(covered), invoicePaid(covered), invoicePaid(covered)]) await deliver(event);
  expect(messages).toEqual([`sale ${covered.invoice} was recorded with another amount_cents`]);
});

test("an invoice without metadata waits for the session that contains its customer", async () => {
  const shop = await createProgramFixture();
  const { deliver, messages } = await webhookOf(shop);
  const first = subscribed({ api: apiVersions[1], metadata: keysOf(shop), subscriptionMetadata: {} });
  expect(await deliver(invoicePaid(first))).toBe(503);
  expect(await deliver(checkoutCompleted(first))).toBe(200);
  expect(await deliver(invoicePaid(first))).toBe(200);
  expect(messages).toEqual([]);
  expect(await shop.all("sales")).toMatchObject([{ transaction_id: first.invoice, sent_customer_key: "user-1" }]);
});

test("a renewal of an imported subscription is recorded for its existing customer", async () => {
  const shop = await createProgramFixture();
  const { deliver, add, stripe, tributary, messages } = await webhookOf(shop);
  const first = subscribed({ api: apiVersions[2], metadata: {}, session: "", at: secondsAgo(40 * 24) });
  const [early, late] = [renewed(first, { at: secondsAgo(2) }), renewed(first, { at: secondsAgo(1) })];
  add(first, early, late);
  expect(await deliver(invoicePaid(early), { stripe })).toBe(200);
  expect(messages).toEqual([expect.stringContaining("Import the subscription's first payment")]);
  await tributary.trackSale({
    customerExternalId: "subscriber",
    invoiceId: "before Tributary",
    amount: 4_900,
    currency: "EUR",
    subscriptionId: first.subscription,
    occurredAt: new Date(first.at * 1_000),
  });
  await shop.lead({ customer_key: "subscriber", click_id: shop.click(shop.alice, Date.now() - hourMs) });
  expect(await deliver(invoicePaid(late), { stripe })).toBe(200);
  expect((await shop.all("commissions")).at(-1)).toMatchObject({ amount_cents: 0, reason: "existing_customer" });
});

test("Stripe's test payments and their refunds are recorded only in the test book", async () => {
  const shop = await createProgramFixture();
  const webhook = await webhookOf(shop);
  const { stripe } = webhook;
  const payment = paidOnce({ api: apiVersions[2], metadata: keysOf(shop), livemode: false });
  webhook.add(payment);
  const refund = refundEvent(payment, { id: "re_1", amount: 900 });
  const live = { ...refund, livemode: true };
  expect(await webhook.deliver(checkoutCompleted(payment), { stripe })).toBe(200);
  expect(await webhook.deliver(live, { stripe })).toBe(503);
  expect(await webhook.deliver(refund, { stripe })).toBe(200);
  expect(await shop.all("sales")).toMatchObject([{ is_test: 1, refunded_cents: 900 }]);
});

test("the first payment after a trial earns a customer's one-time commission", async () => {
  const shop = await createProgramFixture({ policies: [{ scope: "one_time" }] });
  const webhook = await webhookOf(shop);
  const { stripe } = webhook;
  const metadata = { ...keysOf(shop), svc_click_id: shop.click(shop.alice) };
  const trial = subscribed({ api: apiVersions[2], metadata, amount: 0, trialEnd: secondsAgo(2), at: secondsAgo(2) });
  const first = renewed(trial, { amount: 4_900 });
  const second = renewed(first, { trialEnd: null, at: secondsAgo(1) });
  webhook.add(trial, first, second);
  for (const event of [invoicePaid(trial), invoicePaid(first), invoicePaid(second)]) {
    expect(await webhook.deliver(event, { stripe, invoices: true })).toBe(200);
  }
  const commissions = await shop.all("commissions");
  expect(commissions).toMatchObject([{ amount_cents: 980 }, { status: "void", reason: "recurring_not_covered" }]);
});
