import { describe, expect, test } from "vitest";
import type { SaleInput } from "../../sdk/src/inputs.ts";
import { handleLemonSqueezyEvent } from "../../sdk/src/lemon-squeezy.ts";
import { handlePaddleEvent } from "../../sdk/src/paddle.ts";
import { handlePolarEvent } from "../../sdk/src/polar.ts";
import { handleStripeEvent } from "../../sdk/src/stripe.ts";
import { createTestClient } from "../../sdk/src/testing.ts";
import { invoicePaid as stripeInvoice } from "../examples/stripe-events.ts";
import { apiVersions, renewed, subscribed } from "../examples/stripe-payment.ts";
import { invoicePaid as squeezedInvoice } from "./lemon-squeezy-events.ts";
import { completed } from "./paddle-events.ts";
import { orderPaid } from "./polar-events.ts";
import { openShop, refusedWith } from "./processor-shop.ts";

type Keys = Readonly<Record<string, string>>;
const dayMs = 86_400_000;

/** The payments of a subscription after its trial, in order of time. */
const subscriptions = {
  Paddle: (customData: Keys) => ({
    handle: handlePaddleEvent,
    events: [2, 1].map((days) =>
      completed({
        ...{ id: `txn_${days}`, customData, total: 11_900, tax: 1_900, subscription: "sub_1" },
        ...{ origin: "subscription_recurring", at: Date.now() - days * dayMs },
      }),
    ),
  }),
  "Lemon Squeezy": (customData: Keys) => ({
    handle: handleLemonSqueezyEvent,
    events: [2, 1].map((days) =>
      squeezedInvoice({
        ...{ id: `${days}`, customData, total: 11_900, tax: 1_900, subscription: 7 },
        at: Date.now() - days * dayMs,
      }),
    ),
  }),
  Polar: (metadata: Keys) => ({
    handle: handlePolarEvent,
    events: [2, 1].map((days) =>
      orderPaid({
        ...{ id: `order-${days}`, metadata, net: 10_000, tax: 1_900, subscription: "sub-1" },
        ...{ reason: "subscription_update", at: Date.now() - days * dayMs },
      }),
    ),
  }),
  Stripe: (metadata: Keys) => {
    const secondsAgo = (days: number) => Math.floor((Date.now() - days * dayMs) / 1_000);
    const [at, second] = [secondsAgo(2), secondsAgo(1)];
    const trial = subscribed({ api: apiVersions[2], metadata, amount: 0, trialEnd: at, at });
    const first = renewed(trial, { amount: 10_000 });
    const payments = [first, renewed(first, { trialEnd: null, at: second })];
    return { handle: handleStripeEvent, events: payments.map((payment) => stripeInvoice(payment)) };
  },
};

describe.each(Object.entries(subscriptions))("a subscription at %s", (_, subscriptionWith) => {
  test("a subscription earns the one-time commission with the first payment after a trial", {
    tags: "finding",
  }, async () => {
    const { shop, tributary, keys, sales, problems } = await openShop({ policies: [{ scope: "one_time" }] });
    const { handle, events } = subscriptionWith(keys);
    for (const event of [...events, ...events]) {
      expect(await handle(event as never, { tributary })).toMatchObject({ status: 200 });
    }
    expect((await sales()).map(({ isRecurring, commission }) => [isRecurring, commission])).toEqual([
      [false, 2_000],
      [true, 0],
    ]);
    expect(problems).toEqual([]);
    expect(await shop.all("commissions")).toMatchObject([{}, { status: "void", reason: "recurring_not_covered" }]);
  });

  test("a subscription's payment is sent again as a renewal if the service doesn't support `auto`", async () => {
    const { handle, events } = subscriptionWith({ svc_customer_key: "user-1", program_id: "1" });
    const answered = async (message: string) => {
      const older = createTestClient();
      const sent: unknown[] = [];
      const refuse = refusedWith(400, message);
      const trackSale = async (sale: SaleInput) => {
        sent.push(sale.isRecurring);
        return sale.isRecurring === "auto" ? refuse() : older.trackSale(sale);
      };
      const tributary = createTestClient({ trackSale });
      const answer = await handle(events[0] as never, { tributary });
      return { ...answer, sent };
    };
    const message = "is_recurring must be true or false";
    expect(await answered(message)).toEqual({ status: 200, body: "Recorded.", sent: ["auto", true] });
    expect(await answered("currency is unknown")).toMatchObject({ sent: ["auto"] });
  });
});
