import { expect, test } from "vitest";
import { checkoutMetadata } from "../../sdk/src/processors/keys.ts";
import { type Payment, paidOnce, renewed, secondsNow, subscribed } from "../examples/stripe-payment.ts";
import { isWhole } from "../support/breadth.ts";
import { at, createProgramFixture, inTestMode, type ProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";
import { command, type Ended } from "./command.ts";
import { countingProxy, type FakeRefund, fakeApi, stripeReads } from "./fake-processors.ts";

const cli = command();

const key = "rk_live_of_the_tests";
const testKey = "rk_test_of_the_tests";

/** Limits the command's heap, so that it runs out of memory if it keeps all payments. */
const flatMemory = { NODE_OPTIONS: "--max-old-space-size=64" };

const basis = (programId: number, i: number) => ({
  api: "2026-10-28.endive" as const,
  metadata: checkoutMetadata({ customerKey: `customer-${i % 50}`, programId }),
  at: secondsNow() - 1_200 - i * Math.floor((29 * 86_400) / (isWhole ? 10_000 : 120)),
  amount: 1_000 + i,
});

const saleIdOf = ({ invoice, paymentIntent }: Payment): string => invoice ?? paymentIntent;

/** A mix of one-off payments by a session, first payments of subscriptions, and renewals. */
const paymentsOf = (programId: number, count: number): readonly Payment[] =>
  Array.from({ length: count }, (_, i) => {
    const own = basis(programId, i);
    if (i % 3 === 0) return paidOnce(own);
    return i % 3 === 1 ? subscribed(own) : renewed(subscribed(own), own);
  });

const saleFor = (payment: Payment, more: object = {}) => ({
  transaction_id: saleIdOf(payment),
  amount_cents: payment.amount,
  currency: payment.currency.toUpperCase(),
  customer_key: payment.metadata.svc_customer_key,
  occurred_at: at(payment.at * 1_000),
  ...more,
});

async function inTurns(count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += 50) {
    await Promise.all(Array.from({ length: Math.min(50, count - from) }, (_, i) => work(from + i)));
  }
}

interface Report {
  readonly matched: number;
  readonly missing: readonly { id: string; theirs: object; why?: string }[];
  readonly unexpected: readonly { id: string; why: string }[];
  readonly differs: readonly { id: string; theirs: object; ours: object; why: string }[];
  readonly test_mode: boolean;
  readonly sent?: readonly string[];
}

const idsOf = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id).sort();

function runsOf({ world }: ProgramFixture, api: string, url = sharedService.url, processorKey = key) {
  const environment = {
    ...{ TRIBUTARY_API_KEY: world.key, TRIBUTARY_URL: url, STRIPE_API_KEY: processorKey },
    ...flatMemory,
  };
  return async (...args: string[]): Promise<Ended & { readonly report: Report }> => {
    const { code, out, err } = await cli.start(["reconcile", "stripe", "--api", api, "--json", ...args], environment)
      .ended;
    expect(out + err).not.toContain(processorKey);
    expect(out + err).not.toContain(world.key);
    const report = out.startsWith("{") ? (JSON.parse(out) as Report) : ({} as Report);
    return { code, out, err, report };
  };
}

const [payments, dropped, doubled, refunded] = isWhole ? [10_000, 37, 11, 9] : [120, 7, 3, 4];

test("reconcile stripe finds exactly the missing, duplicate and refunded payments, and --apply sends all except duplicates", {
  timeout: isWhole ? 600_000 : 60_000,
}, async () => {
  // Three keys, because one key can send at most 6,000 sales a minute.
  const shop = await createProgramFixture({ keys: [{}, {}, {}] });
  const { world } = shop;
  const all = paymentsOf(world.programId, payments);
  const every = (nth: number, of: number) => (i: number) =>
    i % Math.floor(payments / of) === nth && i / Math.floor(payments / of) < of;
  const [isDropped, isDoubled, isRefunded] = [every(0, dropped), every(1, doubled), every(2, refunded)];
  const some = (is: (i: number) => boolean) => all.filter((_, i) => is(i));
  await inTurns(payments, async (i) => {
    const payment = all[i];
    if (payment === undefined || isDropped(i)) return;
    const record = async (more: object = {}) => {
      const { status, text } = await shop.api.sale(saleFor(payment, more), { key: world.keys[i % 3] ?? "" });
      expect(status, text).toBe(200);
    };
    await record();
    // Another id of the same payment, under which a shop may have recorded it by mistake.
    const second = payment.invoice === null ? payment.session : payment.paymentIntent;
    if (isDoubled(i)) await record({ transaction_id: second });
  });
  await shop.sale({ transaction_id: "cash-1", customer_key: "c", amount_cents: 900 });
  const refunds = some(isRefunded).map((payment, i): FakeRefund => ({ id: `re_${i}`, payment, amount: 300 }));
  const stripe = await fakeApi(stripeReads(all, refunds), {
    key,
    ...(isWhole ? { limitsEvery: 97 } : { limitsEvery: 17, mostRefused: 1 }),
    slowEvery: 29,
    cuts: /invoices$/,
  });
  const service = await countingProxy(sharedService.url);
  const run = runsOf(shop, stripe.url, service.url);

  const found = await run("--since", "30d");
  expect(found.code, found.err).toBe(1);
  const { report } = found;
  expect(idsOf(report.missing)).toEqual(some(isDropped).map(saleIdOf).sort());
  const seconds = some(isDoubled).map(({ invoice, session, paymentIntent }) =>
    invoice === null ? session : paymentIntent,
  );
  expect(idsOf(report.unexpected)).toEqual(seconds.sort());
  expect(idsOf(report.differs)).toEqual(some(isRefunded).map(saleIdOf).sort());
  for (const { theirs, ours, why } of report.differs) {
    expect([why, theirs, ours]).toEqual([
      "refunds",
      expect.objectContaining({ refunded_cents: 300 }),
      expect.objectContaining({ refunded_cents: 0 }),
    ]);
  }
  expect(report.matched).toBe(payments - dropped - refunded);
  expect(service.paths.length).toBeLessThanOrEqual(25);
  expect(stripe.refused()).toBeGreaterThan(0);
  const counts = { matched: report.matched, missing: dropped, unexpected: doubled, differs: refunded };
  const { last_reconciliation } = (await shop.api.readiness({ key: world.key })).body;
  expect(last_reconciliation).toMatchObject({ processor: "stripe", ...counts });

  const applied = await run("--since", "30d", "--apply");
  expect(applied.report).toMatchObject({ matched: payments, missing: [], differs: [] });
  expect(idsOf(applied.report.unexpected)).toEqual(seconds.sort());
  expect(applied.report.sent).toHaveLength(dropped + refunded);
  const state = async () => [(await shop.all("sales")).length, (await shop.all("refunds")).length];
  const after = await state();
  expect(after).toEqual([payments + doubled + 1, refunded]);

  const again = await run("--since", "30d", "--apply");
  expect([again.report.matched, again.report.sent, again.report.missing]).toEqual([payments, [], []]);
  expect(await state()).toEqual(after);
});

test("reconcile stripe attributes a missing renewal to its subscription's customer, as the webhook does", async () => {
  const shop = await createProgramFixture();
  const { world, alice } = shop;
  await shop.lead({ customer_key: "customer-1", click_id: shop.click(alice) });
  const first = subscribed(basis(world.programId, 1));
  const renewal = renewed(first, { at: first.at + 60, subscriptionMetadata: {}, metadata: {} });
  await shop.sale(saleFor(first, { sale_type: "subscription", subscription_id: first.subscription }));
  const stripe = await fakeApi(stripeReads([first, renewal]), { key });
  const { code, report } = await runsOf(shop, stripe.url)("--apply");
  expect([code, report.sent]).toEqual([0, [renewal.invoice]]);
  const [recorded] = (await shop.all("sales")).filter((sale) => sale.transaction_id === renewal.invoice);
  expect(recorded).toMatchObject({ is_recurring: 1, partner_id: alice.id, amount_cents: renewal.amount });
});

test("reconcile stripe --apply only reports a differing amount, and doesn't compare a payment without a customer", async () => {
  const shop = await createProgramFixture();
  const { programId } = shop.world;
  const [wrong, nameless] = [
    paidOnce(basis(programId, 0)),
    paidOnce({ ...basis(programId, 1), metadata: {}, clientReference: null }),
  ];
  await shop.sale(saleFor(wrong, { amount_cents: 5 }));
  const stripe = await fakeApi(stripeReads([wrong, nameless]), { key });
  const { code, report } = await runsOf(shop, stripe.url)("--apply");
  expect(code).toBe(1);
  expect(report).toMatchObject({ matched: 0, missing: [], unexpected: [], unreported: 1, sent: [] });
  expect(report.differs).toEqual([
    {
      id: wrong.paymentIntent,
      why: "amount",
      theirs: { amount_cents: wrong.amount, currency: "EUR", refunded_cents: 0 },
      ours: { amount_cents: 5, currency: "EUR", refunded_cents: 0 },
    },
  ]);
});

test("reconcile stripe counts failed refunds, lost disputes and charge totals as the webhook does", async () => {
  const shop = await createProgramFixture();
  const [failed, lost, won] = paymentsOf(shop.world.programId, 3) as [Payment, Payment, Payment];
  for (const payment of [failed, lost, won]) await shop.sale(saleFor(payment));
  const refund = { transaction_id: saleIdOf(failed), refund_id: "re_failed", refund_amount_cents: 400 };
  await shop.refund({ ...refund, charge_total_cents: failed.amount });
  const dispute = (payment: Payment, id: string, moved: readonly number[]) => ({
    ...{ id, object: "dispute", created: payment.at + 60, currency: "eur", amount: payment.amount },
    ...{ payment_intent: payment.paymentIntent, charge: payment.charge },
    balance_transactions: moved.map((amount, i) => ({ amount, created: payment.at + 60 + i })),
  });
  const disputes = [dispute(lost, "dp_lost", [-lost.amount]), dispute(won, "dp_won", [-won.amount, won.amount])];
  const refunds: FakeRefund[] = [{ id: "re_failed", payment: failed, amount: 400, status: "failed" }];
  const stripe = await fakeApi(stripeReads([failed, lost, won], refunds, { disputes }), { key });
  const run = runsOf(shop, stripe.url);
  const { report } = await run();
  expect(report.matched).toBe(1);
  expect(report.differs.map(({ id, theirs }) => [id, theirs])).toEqual(
    expect.arrayContaining([
      [saleIdOf(failed), expect.objectContaining({ refunded_cents: 0 })],
      [saleIdOf(lost), expect.objectContaining({ refunded_cents: lost.amount })],
    ]),
  );
  const applied = await run("--apply");
  expect([applied.code, applied.report.matched]).toEqual([0, 3]);
});

test("reconcile stripe with a test key compares the test book, and doesn't report its counts to the service", async () => {
  const shop = await createProgramFixture();
  const { world } = shop;
  const [known, missing] = paymentsOf(world.programId, 2).map((payment) => ({ ...payment, livemode: false })) as [
    Payment,
    Payment,
  ];
  await shop.sale(saleFor(known, inTestMode));
  const stripe = await fakeApi(stripeReads([known, missing]), { key: testKey });
  const run = runsOf(shop, stripe.url, sharedService.url, testKey);
  expect((await run()).report).toMatchObject({ test_mode: true, matched: 1, missing: [{ id: saleIdOf(missing) }] });
  expect((await run("--apply")).report).toMatchObject({ matched: 2, missing: [] });
  expect((await shop.all("sales")).map((sale) => sale.is_test)).toEqual([1, 1]);
  expect((await shop.api.readiness({ key: world.key })).body.last_reconciliation).toBeNull();
});

test("reconcile stripe ends with Stripe's reason if Stripe refuses the key", async () => {
  const shop = await createProgramFixture();
  const stripe = await fakeApi(stripeReads([]), { key: "rk_live_another" });
  const refused = await runsOf(shop, stripe.url)();
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("Stripe answered 401: Invalid API key")]);
  expect(JSON.parse(refused.out)).toMatchObject({ error: { name: "ProcessorError" } });
});

test("reconcile refuses invalid arguments before it reads anything", async () => {
  const shop = await createProgramFixture();
  const environment = { TRIBUTARY_API_KEY: shop.world.key, TRIBUTARY_URL: sharedService.url };
  const usage = async (args: string[], more: Record<string, string> = {}) => {
    const { code, err } = await cli.run(["reconcile", ...args], { ...environment, ...more });
    return [code, err.split("\n")[0]];
  };
  expect(await usage([])).toEqual([2, "Name the processor: stripe, paddle, lemon-squeezy, polar."]);
  expect(await usage(["stripe"])).toEqual([2, "No key of Stripe. Set STRIPE_API_KEY."]);
  expect(await usage(["paddle"])).toEqual([2, "No key of Paddle. Set PADDLE_API_KEY."]);
  expect(await usage(["polar", "--include", "tax"])).toEqual([2, "--include is only for stripe."]);
  expect(await usage(["stripe", "--sandbox"])).toEqual([2, "--sandbox isn't for stripe: pass a key of its test mode."]);
  expect(await usage(["stripe", "--since", "month"])).toEqual([2, "--since must be a duration: 30s, 15m, 1h or 7d."]);
  expect(await usage(["stripe", "--include", "fees"])).toEqual([2, "--include must be tax, shipping or tax,shipping."]);
});
