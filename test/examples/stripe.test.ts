import { describe, expect, test, vi } from "vitest";
import { examples, openStore, type Store } from "./store.ts";
import { checkoutCompleted, invoicePaid, refundEvent } from "./stripe-events.ts";
import { apiVersions, paidOnce, renewed, subscribed } from "./stripe-payment.ts";

async function customerOf(store: Store) {
  const { click_id } = await store.shop.visit();
  const cookie = await store.signUp(click_id);
  return { clickId: click_id, cookie };
}

const leadsOf = ({ shop }: Store) => shop.all("leads");
const told = () => vi.spyOn(console, "error").mockImplementation(() => {});

describe.each(examples)("the Stripe example %s", (example) => {
  test("the Stripe example reports the lead at sign-up, and passes the three keys to Stripe at checkout", async () => {
    const store = await openStore(example);
    const { clickId, cookie } = await customerOf(store);
    await expect.poll(() => leadsOf(store)).toMatchObject([{ partner_code: store.shop.alice.code, evidence: "key" }]);
    const [lead] = await leadsOf(store);
    const keys = {
      svc_click_id: clickId,
      svc_customer_key: lead?.customer_key,
      program_id: String(store.shop.world.programId),
    };
    const once = await store.checkOut(cookie, "once");
    expect(once).toMatchObject({ metadata: keys, subscriptionMetadata: {}, params: { mode: "payment" } });
    const monthly = await store.checkOut(cookie, "monthly");
    expect(monthly).toMatchObject({ metadata: keys, subscriptionMetadata: keys, params: { mode: "subscription" } });
  });

  test.each(apiVersions)(
    "the Stripe example records payments, renewals and refunds with the API %s, with each event sent twice in any order",
    async (api) => {
      told();
      const store = await openStore(example);
      const { cookie } = await customerOf(store);
      const { metadata, subscriptionMetadata } = await store.checkOut(cookie, "monthly");
      const first = subscribed({ api, metadata: subscriptionMetadata, paymentIntent: "pi_a", invoice: "in_a" });
      const renewal = { ...renewed(first), invoice: "in_b" };
      const second = paidOnce({ api, metadata, paymentIntent: "pi_c" });
      store.stripe.payments.push(first, renewal, second);

      const statuses = await store.deliverAll([
        // The refunds arrive before their sales, the later refund first.
        refundEvent(second, { id: "re_b", amount: 3_900 }),
        refundEvent(second, { id: "re_a", amount: 1_000 }),
        refundEvent(renewal, { id: "re_c", amount: 1_900 }),
        invoicePaid(renewal),
        invoicePaid(first),
        checkoutCompleted(first),
        checkoutCompleted(second),
        refundEvent(first, { id: "re_d", amount: 1 }),
      ]);
      expect(statuses).toEqual([503, 503, 503, ...Array(13).fill(200)]);
      const subscription = { type: "subscription", amount: 4_900 };
      expect(await store.books()).toEqual([
        { sale: "in_a", ...subscription, renewal: 0, refunded: 1, commission: 980, status: "pending" },
        // This renewal arrived before the payment that it renews.
        { sale: "in_b", ...subscription, renewal: 0, refunded: 1_900, commission: 600, status: "pending" },
        {
          sale: "pi_c",
          amount: 4_900,
          type: "payment",
          renewal: 0,
          refunded: 4_900,
          commission: 0,
          status: "reversed",
        },
      ]);
      const partners = await store.shop.all("commissions");
      expect(partners.map(({ partner_id }) => partner_id)).toEqual(Array(3).fill(store.shop.alice.id));
    },
  );

  test("the Stripe example refuses a bad signature, and records nothing", async () => {
    const store = await openStore(example);
    const { cookie } = await customerOf(store);
    const { metadata } = await store.checkOut(cookie, "once");
    const event = checkoutCompleted(paidOnce({ api: apiVersions[1], metadata }));
    expect(await store.deliver(event, { secret: "whsec_of_somebody_else" })).toBe(400);
    expect(await store.deliver(event, { spoil: (body) => body.replaceAll("4900", "9900") })).toBe(400);
    expect(await store.deliver(event, { spoil: (body) => JSON.stringify(JSON.parse(body)) })).toBe(400);
    const unsigned = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(event) };
    expect((await fetch(`${store.url}/stripe`, unsigned)).status).toBe(400);
    expect(await store.books()).toEqual([]);
    expect(await store.page(cookie)).toContain("not paid");
  });

  test("the Stripe example lets customers sign up and buy while Tributary is unreachable, and the sale is recorded later", async () => {
    const log = told();
    const store = await openStore(example);
    const { click_id } = await store.shop.visit();
    store.isCutOff = true;
    const cookie = await store.signUp(click_id);
    const { metadata } = await store.checkOut(cookie, "once");
    const payment = paidOnce({ api: apiVersions[1], metadata, paymentIntent: "pi_a" });
    const event = checkoutCompleted(payment);
    expect(await store.deliver(event)).toBe(503);
    expect(await store.page(cookie)).toContain("Signed up, paid");
    expect(log).toHaveBeenCalledTimes(2);
    store.isCutOff = false;
    expect(await leadsOf(store)).toEqual([]);
    expect(await store.deliverAll([event])).toEqual([200, 200]);
    // The lead was lost, but the click id in the metadata still identifies the partner.
    expect(await store.books()).toMatchObject([{ sale: "pi_a", commission: 980, status: "pending" }]);
  });

  test("the Stripe example sends a sale again that was refused for an invalid key, and it is recorded with a valid key", async () => {
    const log = told();
    const store = await openStore(example, `svc_1_${"x".repeat(43)}`);
    const metadata = { svc_customer_key: "customer-1" };
    const event = checkoutCompleted(paidOnce({ api: apiVersions[1], metadata, paymentIntent: "pi_a" }));
    expect(await store.deliver(event)).toBe(503);
    expect(log).toHaveBeenCalledOnce();
  });

  test("the Stripe example responds 500 if a checkout fails at Stripe", async () => {
    told();
    const store = await openStore(example);
    const { cookie } = await customerOf(store);
    store.stripe.failsWith = 500;
    const order = { method: "POST", headers: { cookie }, body: new URLSearchParams({ plan: "once" }) };
    const answer = await fetch(`${store.url}/checkout`, order);
    expect([answer.status, await answer.text()]).toEqual([500, "Internal Server Error"]);
  });

  test("the Stripe example answers 503 to a refund event while Stripe can't be asked for the amount, and records it on the retry", async () => {
    told();
    const store = await openStore(example);
    const { cookie } = await customerOf(store);
    const { subscriptionMetadata: metadata } = await store.checkOut(cookie, "monthly");
    const payment = subscribed({ api: apiVersions[1], metadata, invoice: "in_a" });
    const refund = refundEvent(payment, { id: "re_a", amount: 4_900 });
    store.stripe.payments.push(payment);
    expect(await store.deliver(invoicePaid(payment))).toBe(200);
    store.stripe.failsWith = 500;
    expect(await store.deliver(refund)).toBe(503);
    store.stripe.failsWith = undefined;
    await store.deliverAll([refund]);
    expect(await store.books()).toMatchObject([{ sale: "in_a", refunded: 4_900, commission: 0, status: "reversed" }]);
  });

  test("the Stripe example acknowledges events that aren't sales and sales that were finally refused, so that Stripe doesn't send them again", async () => {
    const log = told();
    const store = await openStore(example);
    const { cookie } = await customerOf(store);
    const { metadata } = await store.checkOut(cookie, "once");
    const payment = paidOnce({ api: apiVersions[1], metadata });
    const events = [
      checkoutCompleted(payment, { payment_status: "unpaid" }),
      checkoutCompleted(payment, { payment_status: "no_payment_required", amount_total: 0 }),
      { ...checkoutCompleted(payment), type: "checkout.session.expired" },
    ];
    expect(await store.deliverAll(events)).toEqual(Array(6).fill(200));
    expect(log).not.toHaveBeenCalled();
    const tooMuch = checkoutCompleted(payment, { amount_total: 10 ** 12 });
    expect(await store.deliver(tooMuch)).toBe(200);
    expect(log).toHaveBeenCalledOnce();
    expect(await store.books()).toEqual([]);
  });
});
