import { handleStripeEvent, type StripeClient, saleFromEvent } from "tributary-sdk/stripe";
import { createTestClient } from "tributary-sdk/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { checkoutCompleted, intentSucceeded, invoicePaid, type StripeEventJson } from "../examples/stripe-events.ts";
import {
  apiVersions,
  type Payment,
  type PaymentLine,
  paidOnce,
  renewed,
  secondsNow,
  subscribed,
} from "../examples/stripe-payment.ts";
import { failingStripe, startStripe } from "../examples/stripe-server.ts";
import { withFields } from "./stripe-scenario.ts";

const metadata = { svc_customer_key: "user-1", program_id: "1" };
const promotion = { id: "promo_1", code: "BEN10", discount: "di_1" };
const codes = ["BEN10", "promo_1", "coupon_1"];
const idsAlone = codes.slice(1);
const dayAgo = secondsNow() - 86_500;

type Items = readonly (readonly [product: string, amount: number, quantity: number])[];

/** Returns the sale that is sent for an event. */
async function sent(event: StripeEventJson, stripe?: StripeClient, include: readonly ("tax" | "shipping")[] = []) {
  const tributary = createTestClient();
  const { status } = await handleStripeEvent(event, { tributary, stripe, include });
  const [call] = tributary.calls;
  if (call?.method !== "trackSale") return { status };
  const [{ amount, items, couponCodes }] = call.arguments;
  return { status, amount, items: items?.map((item) => [item.productId, item.amount, item.quantity]), couponCodes };
}

const sale = (amount: number, items: Items | undefined, couponCodes?: readonly string[]) => ({
  status: 200,
  amount,
  items,
  couponCodes,
});

const basic: PaymentLine = { product: "basic", amount: 3_000 };
const pro: PaymentLine = { product: "pro", amount: 1_900, quantity: 2 };

interface Case {
  readonly payment: Partial<Payment>;
  readonly include?: readonly ("tax" | "shipping")[];
  readonly amount: number;
  readonly items: Items | undefined;
}

const cases: Readonly<Record<string, Case>> = {
  "the lines add up": {
    payment: { amount: 4_900, lines: [basic, pro] },
    amount: 4_900,
    items: [
      ["basic", 3_000, 1],
      ["pro", 1_900, 2],
    ],
  },
  "a line has a discount": {
    payment: { amount: 4_000, promotion, lines: [{ ...basic, discount: 900 }, pro] },
    amount: 4_000,
    items: [
      ["basic", 2_100, 1],
      ["pro", 1_900, 2],
    ],
  },
  "the whole sale has a discount": {
    payment: { amount: 4_410, promotion, lines: [basic, pro].map((line) => ({ ...line, discount: line.amount / 10 })) },
    amount: 4_410,
    items: [
      ["basic", 2_700, 1],
      ["pro", 1_710, 2],
    ],
  },
  "tax and shipping are added": {
    payment: {
      amount: 6_329,
      tax: 929,
      shipping: 500,
      lines: [
        { ...basic, tax: 570 },
        { ...pro, tax: 359 },
      ],
    },
    amount: 4_900,
    items: [
      ["basic", 3_000, 1],
      ["pro", 1_900, 2],
    ],
  },
  "prices include tax": {
    payment: {
      amount: 4_900,
      tax: 782,
      lines: [
        { ...basic, tax: 479, isTaxIncluded: true },
        { ...pro, tax: 303, isTaxIncluded: true },
      ],
    },
    amount: 4_118,
    items: [
      ["basic", 2_521, 1],
      ["pro", 1_597, 2],
    ],
  },
  "tax is added and included, and earns commission": {
    payment: {
      amount: 5_259,
      tax: 838,
      lines: [
        { ...basic, tax: 479, isTaxIncluded: true },
        { ...pro, tax: 359 },
      ],
    },
    include: ["tax"],
    amount: 5_259,
    items: [
      ["basic", 3_000, 1],
      ["pro", 2_259, 2],
    ],
  },
  "shipping earns commission but isn't a line": {
    payment: { amount: 5_400, shipping: 500, lines: [basic, pro] },
    include: ["shipping"],
    amount: 5_400,
    items: undefined,
  },
  "a line has the amount 0": {
    payment: { amount: 3_000, lines: [basic, { product: "usage", amount: 0, quantity: 0 }, { ...pro, amount: 0 }] },
    amount: 3_000,
    items: [
      ["basic", 3_000, 1],
      ["pro", 0, 2],
    ],
  },
  "a line has no product": {
    payment: { amount: 4_900, lines: [basic, { ...pro, product: null }] },
    amount: 4_900,
    items: undefined,
  },
  "a line has more units than an item can have": {
    payment: { amount: 4_900, lines: [basic, { ...pro, quantity: 10_001 }] },
    amount: 4_900,
    items: undefined,
  },
  "a line is negative": {
    payment: { amount: 1_100, lines: [basic, { ...pro, amount: -1_900 }] },
    amount: 1_100,
    items: undefined,
  },
  "the lines don't add up": {
    payment: { amount: 4_900, lines: [basic] },
    amount: 4_900,
    items: undefined,
  },
};

const couponsOf = ({ promotion: used }: Partial<Payment>) => (used ? codes : undefined);

describe.each(apiVersions)("the items of a Stripe sale, with API %s", (api) => {
  test.each(Object.entries(cases))("a sale's items are right if %s", async (_, { payment, include, amount, items }) => {
    const { stripe, payments } = await startStripe();
    const first = subscribed({ api, metadata, ...payment });
    const [once, second] = [paidOnce({ api, metadata, ...payment }), renewed(first)];
    payments.push(first, once, second);
    const expected = sale(amount, items, couponsOf(payment));
    for (const event of [checkoutCompleted(first), invoicePaid(first), invoicePaid(second), checkoutCompleted(once)]) {
      expect(await sent(event, stripe, include)).toEqual(expected);
    }
    expect(await sent(invoicePaid(second), undefined, include)).toMatchObject({ status: 200, amount, items });
  });

  test("without Stripe's API, the items of a Stripe sale are omitted for both events of a subscription's first payment", async () => {
    const first = subscribed({ api, metadata, amount: 4_900, lines: [basic, pro] });
    for (const event of [checkoutCompleted(first), invoicePaid(first)]) {
      expect(await sent(event)).toEqual(sale(4_900, undefined));
      expect(saleFromEvent(event).sale).not.toHaveProperty("items");
    }
    expect(saleFromEvent(invoicePaid(renewed(first))).sale?.items).toHaveLength(2);
  });

  test("the items of a Stripe sale are reduced by the customer's balance or a credit", async () => {
    const balance = { amount: 2_900, balance: 2_000, lines: [basic, pro] };
    const renewal = renewed(subscribed({ api, metadata }), balance);
    // half_up(2900 × 3000 / 4900)
    const shares: Items = [
      ["basic", 1_776, 1],
      ["pro", 1_124, 2],
    ];
    expect(await sent(invoicePaid(renewal))).toEqual(sale(2_900, shares));
    const credited = renewed(renewal, { amount: 3_900, balance: 0, lines: [{ ...basic, credit: 1_000 }, pro] });
    const left: Items = [
      ["basic", 2_000, 1],
      ["pro", 1_900, 2],
    ];
    expect(await sent(invoicePaid(credited))).toEqual(sale(3_900, left));
  });

  test("the items of a Stripe sale are in the same unit as the sale's amount", async () => {
    const lines = [basic, pro].map((line) => ({ ...line, amount: line.amount + 50 }));
    const renewal = renewed(subscribed({ api, metadata, currency: "isk" }), { amount: 5_000, lines });
    const items: Items = [
      ["basic", 31, 1],
      ["pro", 19, 2],
    ];
    expect(await sent(invoicePaid(renewal))).toEqual(sale(50, items));
  });

  test("the items of a Stripe sale are omitted if an invoice has more lines than its event contains", async () => {
    const renewal = renewed(subscribed({ api, metadata }), { lines: [basic, pro] });
    const event = invoicePaid(renewal);
    const { lines } = event.data.object as { lines: object };
    expect((await sent(event)).items).toHaveLength(2);
    expect(await sent(withFields(event, { lines: { ...lines, has_more: true } }))).toEqual(sale(4_900, undefined));
  });

  test("promotion codes and coupons are sent if the Stripe event contains them", async () => {
    const used = { amount: 4_410, promotion, lines: [{ ...basic, amount: 4_900, discount: 490 }] };
    const event = checkoutCompleted(paidOnce({ api, metadata, ...used }));
    expect((await sent(event)).couponCodes).toEqual(idsAlone);
    const discounts = [
      { coupon: null, promotion_code: { id: "promo_1", code: "BEN10" } },
      { coupon: { id: "coupon_1" }, promotion_code: null },
    ];
    expect((await sent(withFields(event, { discounts }))).couponCodes).toEqual(codes);
    const invoice = invoicePaid(subscribed({ api, metadata, ...used }));
    const isNamed = api === apiVersions[0];
    expect((await sent(invoice)).couponCodes).toEqual(isNamed ? idsAlone : undefined);
    expect(saleFromEvent(withFields(invoice, { discounts })).sale?.couponCodes).toEqual(codes);
  });

  test("a Stripe sale is recorded without data that Stripe refuses, or doesn't return for a day", async () => {
    const used = { promotion, amount: 4_410, lines: [{ ...basic, amount: 4_900, discount: 490 }] };
    const [now, old] = [paidOnce({ api, metadata, ...used }), paidOnce({ api, metadata, ...used, at: dayAgo })];
    const bare = sale(4_410, undefined, idsAlone);
    for (const status of [401, 403, 400]) {
      expect(await sent(checkoutCompleted(now), await failingStripe(status))).toEqual(bare);
    }
    expect(await sent(checkoutCompleted(now), await failingStripe(500))).toEqual({ status: 503 });
    expect(await sent(checkoutCompleted(old), await failingStripe(500))).toEqual(bare);
    const plain = checkoutCompleted(paidOnce({ api, metadata, lines: [basic, pro] }));
    expect(await sent(plain, await failingStripe(500))).toEqual(sale(4_900, undefined));
    const renewal = renewed(subscribed({ api, metadata, ...used }));
    const { status, items } = await sent(invoicePaid(renewal), await failingStripe(403));
    expect({ status, items }).toEqual({ status: 200, items: [["basic", 4_410, 1]] });
  });
});

test("the handler waits at most two seconds for the lines of a checkout", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { stripe } = await startStripe();
  const sessions = { list: () => new Promise<never>(() => {}) };
  const event = checkoutCompleted(paidOnce({ api: apiVersions[2], metadata, lines: [basic, pro] }));
  const answer = sent(event, { ...stripe, checkout: { sessions } } as unknown as StripeClient);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await answer).toEqual(sale(4_900, undefined));
});

test("a partly captured amount is distributed among the lines of the checkout", async () => {
  const { stripe, payments } = await startStripe();
  const manual = { captureMethod: "manual", amount: 3_900, uncaptured: 1_000, lines: [basic, pro] } as const;
  const payment = paidOnce({ api: apiVersions[2], metadata, ...manual });
  payments.push(payment);
  const items: Items = [
    ["basic", 2_388, 1],
    ["pro", 1_512, 2],
  ];
  expect(await sent(intentSucceeded(payment), stripe)).toEqual(sale(3_900, items));
});

test("the first ten valid coupon codes of a Stripe payment are sent once each, and others are omitted", () => {
  const used = paidOnce({ api: apiVersions[2], metadata });
  const discounts = ["A".repeat(65), "BEN10", "BEN10", ...Array.from({ length: 12 }, (_, i) => `CODE${i}`)];
  const event = withFields(checkoutCompleted(used), {
    discounts: discounts.map((code) => ({ promotion_code: { id: code, code } })),
  });
  expect(saleFromEvent(event).sale?.couponCodes).toEqual(["BEN10", ...discounts.slice(3, 12)]);
});
