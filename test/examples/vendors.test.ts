import { createHmac } from "node:crypto";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { currencyCodes } from "#domain/currency.ts";
import { root } from "../../scripts/root.ts";
import { orderCreated, signedByLemonSqueezy } from "../sdk/lemon-squeezy-events.ts";
import { adjusted, completed, signedByPaddle } from "../sdk/paddle-events.ts";
import { orderPaid, signedByPolar } from "../sdk/polar-events.ts";
import { openShop } from "../sdk/processor-shop.ts";
import { answer, serverThat } from "../sdk/server-that.ts";
import { oneOfEach } from "../support/breadth.ts";
import { type Integrator, integratorWithSdk } from "../support/integrator.ts";
import { hour } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";
import { type Delivery, runPage } from "./page-code.ts";
import { revenueCatEvent } from "./revenuecat-events.ts";
import { invoicePaid, refundEvent } from "./stripe-events.ts";
import { apiVersions, stripeId, subscribed } from "./stripe-payment.ts";
import { startStripe } from "./stripe-server.ts";
import { basilInvoice, creditedTotals, taxedLines } from "./vendor-inputs.ts";
import { kindOfCurrency, plays } from "./vendor-plays.ts";

// Runs the code of each processor's guide with events as that processor sends them.

let integrator: Integrator;
beforeAll(async () => {
  integrator = await integratorWithSdk(`${sharedService.url}/${inject("sdk").file}`);
  for (const name of ["stripe", "@types"]) {
    await symlink(join(root, "node_modules", name), join(integrator.project, "node_modules", name));
  }
  await writeFile(join(integrator.project, "package.json"), '{"type":"module"}');
});
afterAll(() => integrator.dispose());

type Page = keyof typeof plays;

interface Vendor {
  readonly handler: string;
  /** The environment variable with the secret. */
  readonly variable: string;
  sign(body: string, secret: string | Buffer): Readonly<Record<string, string>>;
  /** An event that reports no payment. */
  readonly quiet: object;
  readonly refuses: number;
}

const signedByStripe = (body: string, secret: string | Buffer) => {
  const seconds = Math.floor(Date.now() / 1_000);
  const signature = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return { "stripe-signature": `t=${seconds},v1=${signature}` };
};

const vendors: Readonly<Record<Page, Vendor>> = {
  integration: {
    handler: "onStripe",
    variable: "STRIPE_WEBHOOK_SECRET",
    sign: signedByStripe,
    quiet: { id: "evt_1", object: "event", type: "customer.created", data: { object: { id: "cus_1" } } },
    refuses: 400,
  },
  paddle: {
    handler: "onPaddle",
    variable: "PADDLE_WEBHOOK_SECRET",
    sign: (body, secret) => signedByPaddle(body, [`${secret}`]),
    quiet: completed({ id: "txn_0", total: 0, tax: 0 }),
    refuses: 400,
  },
  "lemon-squeezy": {
    handler: "onLemonSqueezy",
    variable: "LEMON_SQUEEZY_WEBHOOK_SECRET",
    sign: (body, secret) => signedByLemonSqueezy(body, `${secret}`),
    quiet: orderCreated({ id: "0", total: 0, tax: 0 }),
    refuses: 400,
  },
  polar: {
    handler: "onPolar",
    variable: "POLAR_WEBHOOK_SECRET",
    sign: (body, secret) => signedByPolar(body, [secret]),
    quiet: orderPaid({ id: "order-0", net: 0, tax: 0 }),
    refuses: 400,
  },
  revenuecat: {
    handler: "onRevenueCat",
    variable: "REVENUECAT_WEBHOOK_SECRET",
    sign: (_, secret) => ({ authorization: `${secret}` }),
    quiet: revenueCatEvent({ type: "TEST", transaction_id: null }),
    refuses: 401,
  },
};
const pages = Object.keys(vendors) as Page[];

const secretOfTests = `whsec_${Buffer.from("a secret of the tests, 32 bytes.").toString("base64")}`;

/** Opens a program and fake processors, and returns the values that a guide's code needs. */
async function openVendors(page: Page) {
  const shop = await openShop();
  await shop.shop.lead({ customer_key: "user-1", click_id: shop.keys.svc_click_id });
  const stripe = await startStripe();
  const paddle = await serverThat(answer(200, { data: { custom_data: shop.keys } }));
  const { handler, variable, sign } = vendors[page];
  const env = {
    TRIBUTARY_URL: sharedService.url,
    TRIBUTARY_API_KEY: shop.shop.world.key,
    PADDLE_API: paddle.url,
    [variable]: secretOfTests,
  };
  const own = (code: string) =>
    code.replace('Stripe(process.env.STRIPE_SECRET_KEY ?? "")', `Stripe("sk_test", ${JSON.stringify(stripe.host)})`);
  const delivered = (events: readonly object[]): readonly Delivery[] =>
    events.map((event) => JSON.stringify(event)).map((body) => ({ body, headers: sign(body, secretOfTests) }));
  const run = (deliveries: readonly Delivery[]) => runPage(integrator, { page, handler, deliveries, env, own });
  return { ...shop, payments: stripe.payments, run, deliver: (events: readonly object[]) => run(delivered(events)) };
}

const idOf = (sale: object) => `${"id" in sale && sale.id}`;

/** Shuffles in the same way in each run. */
const shuffled = <T>(items: readonly T[]): readonly T[] =>
  items
    .map((item, i) => ({ item, key: (i * 7_919 + 13) % 101 }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);

const orders = [
  <T>(events: readonly T[]) => events,
  <T>(events: readonly T[]) => events.toReversed(),
  <T>(events: readonly T[]) => shuffled(events),
];

const currencies = oneOfEach(currencyCodes(), kindOfCurrency);
/** The currencies in groups of 40, because a group's deliveries would be too old after five minutes. */
const inParts = Array.from({ length: Math.ceil(currencies.length / 40) }, (_, i) =>
  currencies.slice(40 * i, 40 * (i + 1)),
);

describe.each(pages)("the code of docs/%s.md", (page) => {
  test.each(inParts.map((part) => [part.join(" "), part] as const))(
    "the code of a processor's guide records trials, renewals, refunds and disputes in any order, each twice, in %s",
    { tags: "finding" },
    async (_, part) => {
      const { keys, payments, deliver, sales } = await openVendors(page);
      const at = Date.now() - 6 * hour;
      const events: object[] = [];
      const expected: object[] = [];
      for (const [i, currency] of part.entries()) {
        const played = plays[page]({ currency, keys, at });
        payments.push(...(played.payments ?? []));
        events.push(...(orders[i % orders.length]?.([...played.events, ...played.events]) ?? []));
        for (const { isRecurring, ...sale } of played.sales) {
          const commission = (sale.amount - sale.refunded) / 5;
          // The service recognizes a renewal only by an earlier payment that has already arrived.
          expected.push({
            ...sale,
            commission,
            isRecurring: i % orders.length === 0 ? isRecurring : expect.any(Boolean),
          });
        }
      }
      const { answers, left } = await deliver(events);
      expect(left).toBe(0);
      expect(answers.filter((each) => !/^(200|503) /.test(each))).toEqual([]);
      const byId = (one: object, other: object) => idOf(one).localeCompare(idOf(other));
      expect((await sales()).toSorted(byId)).toEqual(expected.toSorted(byId));
    },
  );

  test("the code of a processor's guide accepts only events signed with the configured secret, and none signed with an empty secret", {
    tags: "finding",
  }, async () => {
    const { variable, sign, quiet, refuses } = vendors[page];
    const bytes = Buffer.from(secretOfTests.slice("whsec_".length), "base64");
    const old = "polar_whs_of_the_tests";
    const cases: readonly [secret: string | null, key: string | Buffer, isGenuine: boolean][] = [
      [secretOfTests, secretOfTests, true],
      [old, old, true],
      // Only Polar has two keys for one secret.
      [secretOfTests, bytes, page === "polar"],
      [secretOfTests, "another", false],
      [secretOfTests, "", false],
      ["", "", false],
      [null, "", false],
      [" ", " ", false],
      ["\n", "\n", false],
      ["whsec_", "", false],
    ];
    const { run } = await openVendors(page);
    const body = JSON.stringify(quiet);
    const deliveries = cases.map(([secret, key]) => ({ body, headers: sign(body, key), env: { [variable]: secret } }));
    const { answers } = await run(deliveries);
    expect(answers.map((each) => Number(each.slice(0, 3)))).toEqual(
      cases.map(([, , isGenuine]) => (isGenuine ? 200 : refuses)),
    );
  });
});

describe("Stripe's invoices since API version basil", () => {
  const seconds = () => Math.floor(Date.now() / 1_000) - 3_600;
  const stripeEvent = (type: string, object: object) => ({
    ...{ id: `evt_${type}`, object: "event", api_version: apiVersions[1], created: seconds(), livemode: true },
    ...{ type, data: { object } },
  });

  test.each([
    ["in order", orders[0]],
    ["in reverse", orders[1]],
  ])(
    "Stripe's invoices since API version basil are recorded as one sale, which a refund finds by the payment intent, %s",
    { tags: "finding" },
    async (_, inOrder) => {
      const { keys, payments, deliver, sales } = await openVendors("integration");
      const metadata = { svc_customer_key: keys.svc_customer_key, program_id: keys.program_id };
      const ids = { invoice: "in_1", subscription: "sub_1", customer: "cus_1", paymentIntent: "pi_1" };
      const payment = subscribed({ ...ids, api: apiVersions[1], metadata, currency: "usd", at: seconds() });
      payments.push(payment);
      const invoicePayment = {
        object: "invoice_payment",
        id: "inpay_1",
        invoice: "in_1",
        amount_paid: 4_900,
        status: "paid",
      };
      const events = [
        stripeEvent("invoice.paid", basilInvoice(metadata, seconds())),
        stripeEvent("invoice_payment.paid", {
          ...invoicePayment,
          payment: { type: "payment_intent", payment_intent: "pi_1" },
        }),
        refundEvent(payment, { id: "re_1", amount: 1_000 }),
      ];
      expect(await deliver(inOrder?.(events) ?? [])).toMatchObject({ left: 0 });
      const sale = { id: "in_1", amount: 4_900, currency: "USD", isRecurring: false };
      expect(await sales()).toEqual([{ ...sale, refunded: 1_000, commission: 780 }]);
    },
  );

  test("Stripe's invoices since API version basil are recorded as one sale even if two payments paid the invoice, and both payments' refunds count", {
    tags: "finding",
  }, async () => {
    const { keys, payments, deliver, sales } = await openVendors("integration");
    const whole = subscribed({ api: apiVersions[1], metadata: { ...keys }, amount: 10_000, at: seconds() });
    const [one, other] = [6_000, 4_000].map((amount) => ({ ...whole, amount, paymentIntent: stripeId("pi") }));
    if (!one || !other) throw new Error("two payments");
    payments.push(whole, one, other);
    const refunds = [
      refundEvent(one, { id: "re_1", amount: 3_000 }),
      refundEvent(other, { id: "re_2", amount: 1_000 }),
    ];
    expect(await deliver([invoicePaid(whole), ...refunds, ...refunds])).toMatchObject({ left: 0 });
    const sale = { id: whole.invoice, amount: 10_000, currency: "EUR", isRecurring: false };
    expect(await sales()).toEqual([{ ...sale, refunded: 4_000, commission: 1_200 }]);
  });
});

describe("Paddle's transactions", () => {
  test("Paddle's transactions earn a commission on the amount that is left after a credit is deducted", {
    tags: "finding",
  }, async () => {
    const { keys, deliver, sales } = await openVendors("paddle");
    const upgrade = {
      customData: keys,
      total: 2_000,
      tax: 0,
      subscription: "sub_1",
      origin: "subscription_update",
    } as const;
    const event = completed({ ...upgrade, id: "txn_1", credit: 1_499, currency: "USD" });
    const { details } = event.data;
    const credited = { ...event, data: { ...event.data, details: { ...details, totals: creditedTotals } } };
    const covered = completed({ ...upgrade, id: "txn_2", credit: 2_000, currency: "USD" });
    const first = completed({
      ...upgrade,
      id: "txn_0",
      total: 1_500,
      origin: "web",
      currency: "USD",
      at: Date.now() - hour,
    });
    await deliver([first, credited, covered]);
    const before = { id: "txn_0", amount: 1_500, currency: "USD", isRecurring: false, refunded: 0, commission: 300 };
    const sale = { id: "txn_1", amount: 501, currency: "USD", isRecurring: true };
    expect(await sales()).toEqual([before, { ...sale, refunded: 0, commission: 100 }]);
    await deliver([adjusted({ id: "adj_1", transaction: "txn_1", total: 501, tax: 0, currency: "USD" })]);
    expect(await sales()).toEqual([before, { ...sale, refunded: 501, commission: 0 }]);
  });

  test("Paddle's transactions earn a commission on each line's amount without its tax, less the line's refunds", {
    tags: "finding",
  }, async () => {
    const { keys, shop, deliver, sales } = await openVendors("paddle");
    const event = completed({ id: "txn_1", customData: keys, total: 54_330, tax: 4_430 });
    const [line] = event.data.details?.line_items ?? [];
    const line_items = taxedLines.map(({ product: id, quantity, ...amounts }) => {
      const [tax, total] = [`${amounts.tax}`, `${amounts.total}`];
      return {
        ...line,
        quantity,
        totals: { subtotal: total, discount: "0", tax, total },
        product: { ...line?.product, id },
      };
    });
    const lined = { ...event, data: { ...event.data, details: { ...event.data.details, line_items } } };
    const part = { id: "adj_1", transaction: "txn_1", total: 1_089, tax: 89 };
    const dispute = { transaction: "txn_1", total: 54_330, tax: 4_430 };
    const approved = adjusted({ ...part, type: "updated" });
    await deliver([lined, adjusted({ ...part, status: "pending_approval" })]);
    expect(await sales()).toMatchObject([{ amount: 49_900, refunded: 0, commission: 9_980 }]);
    const [sale] = await shop.all("sales");
    expect(JSON.parse(`${sale?.items}`)).toEqual([
      { itemId: "1", productId: "pro_a", quantity: 10, amountCents: 30_000 },
      { itemId: "2", productId: "pro_b", quantity: 1, amountCents: 10_000 },
      { itemId: "3", productId: "pro_c", quantity: 1, amountCents: 9_900 },
    ]);
    await deliver([
      ...[approved, approved, adjusted({ ...part, id: "adj_2", total: 89 })],
      adjusted({ ...dispute, id: "adj_4", action: "chargeback_reverse", at: Date.now() - 10_000 }),
      adjusted({ ...dispute, id: "adj_3", action: "chargeback", at: Date.now() - 20_000 }),
    ]);
    expect(await sales()).toMatchObject([{ amount: 49_900, refunded: 1_000, commission: 9_780 }]);
  });
});
