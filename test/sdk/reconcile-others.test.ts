import { describe, expect, test } from "vitest";
import { at, createProgramFixture, day, inTestMode, type ProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";
import { command } from "./command.ts";
import { type FakeApi, fakeApi } from "./fake-processors.ts";
import { invoicePaid, orderRefunded as lemonRefunded, orderCreated } from "./lemon-squeezy-events.ts";
import { adjusted, completed } from "./paddle-events.ts";
import { orderPaid, orderRefunded } from "./polar-events.ts";

const cli = command();
const start = Date.now() - 3_600_000;
/** Payments are a minute apart, and the first one is the newest. */
const timeOf = (i: number) => start - i * 60_000;

const keyNames = { paddle: "PADDLE_API_KEY", "lemon-squeezy": "LEMON_SQUEEZY_API_KEY", polar: "POLAR_ACCESS_TOKEN" };
type Name = keyof typeof keyNames;

async function run({ world }: ProgramFixture, name: Name, { url }: FakeApi, key: string, ...args: string[]) {
  const environment = { TRIBUTARY_API_KEY: world.key, TRIBUTARY_URL: sharedService.url, [keyNames[name]]: key };
  const { code, out, err } = await cli.run(["reconcile", name, "--api", url, "--json", ...args], environment);
  expect(out + err).not.toContain(key);
  expect(out, err).toMatch(/^\{/);
  return { code, report: JSON.parse(out) };
}

const keysFor = ({ world }: ProgramFixture) => ({
  svc_customer_key: "customer-1",
  program_id: String(world.programId),
});
const ids = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id).sort();
const figures = (amount_cents: number, refunded_cents: number, currency = "EUR") => ({
  ...{ amount_cents, currency, refunded_cents },
});

describe("reconcile paddle", () => {
  const key = "pdl_live_apikey_of_the_tests";

  async function open(isTest = false) {
    const shop = await createProgramFixture();
    const customData = keysFor(shop);
    const transactions = Array.from({ length: 65 }, (_, i) => {
      const id = `txn_${String(i).padStart(3, "0")}`;
      const refunded = i === 1 ? 595 : 0;
      const payment = { id, total: 1_190, tax: 190, customData, at: timeOf(i) };
      const adjustment = { id: "adj_1", transaction: id, total: refunded, tax: 95, at: timeOf(0) };
      return { ...completed(payment).data, adjustments: refunded > 0 ? [adjusted(adjustment).data] : [] };
    });
    const mode = isTest ? inTestMode : {};
    const sale = { customer_key: "customer-1", amount_cents: 1_000, ...mode };
    await Promise.all(
      transactions
        .slice(1)
        .map(({ id, billed_at }) => shop.sale({ ...sale, transaction_id: id, occurred_at: billed_at })),
    );
    await shop.sale({ transaction_id: "txn_gone", customer_key: "customer-1", occurred_at: at(timeOf(2)), ...mode });
    const api = await fakeApi(
      ({ pathname, searchParams: query }) => {
        const [, one] = /^\/transactions\/(\w+)$/.exec(pathname) ?? [];
        if (one) return read(transactions.find(({ id }) => id === one));
        const from = Date.parse(query.get("billed_at[GTE]") ?? "");
        const listed = transactions.filter(({ billed_at }) => Date.parse(String(billed_at)) >= from);
        const begin = listed.findIndex(({ id }) => id === query.get("after")) + 1;
        const data = listed.slice(begin, begin + Number(query.get("per_page")));
        return { data, meta: { pagination: { has_more: begin + data.length < listed.length } } };
      },
      { key: isTest ? "pdl_sdbx_apikey_of_the_tests" : key, limitsEvery: 2, mostRefused: 1 },
    );
    return { shop, api };
  }
  const read = <Data>(data: Data | undefined) => (data === undefined ? undefined : { data });

  test("reconcile paddle finds a missing transaction, a partial refund and a sale without a transaction, and sends the first two", {
    tags: "soak",
  }, async () => {
    const { shop, api } = await open();
    const { code, report } = await run(shop, "paddle", api, key);
    expect(code).toBe(1);
    expect(report).toMatchObject({
      matched: 63,
      missing: [{ id: "txn_000", theirs: figures(1_000, 0) }],
      unexpected: [{ id: "txn_gone", why: "Paddle has no payment with this id" }],
      differs: [{ id: "txn_001", theirs: figures(1_000, 500), ours: figures(1_000, 0), why: "refunds" }],
    });
    const applied = await run(shop, "paddle", api, key, "--apply");
    expect(applied.report).toMatchObject({ matched: 65, missing: [], differs: [], sent: ["txn_000", "txn_001"] });
    const again = await run(shop, "paddle", api, key, "--apply");
    expect(again.report).toMatchObject({ matched: 65, sent: [] });
  });

  test("reconcile paddle compares a sandbox's payments with the test book", { tags: "soak" }, async () => {
    const { shop, api } = await open(true);
    const { report } = await run(shop, "paddle", api, "pdl_sdbx_apikey_of_the_tests", "--apply");
    expect(report).toMatchObject({ test_mode: true, matched: 65, missing: [], differs: [] });
    expect((await shop.all("sales")).every((sale) => sale.is_test === 1)).toBe(true);
  });
});

describe("reconcile polar", () => {
  const key = "polar_oat_of_the_tests";
  const uuid = (i: number) => `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`;

  test("reconcile polar finds a missing order and a partial refund on any page, and sends them", {
    tags: "soak",
  }, async () => {
    const shop = await createProgramFixture();
    const metadata = keysFor(shop);
    const orders = Array.from({ length: 130 }, (_, i) => {
      const order = { id: uuid(i), net: 1_000, tax: 190, metadata, at: timeOf(i), currency: "eur" };
      return i === 120 ? orderRefunded({ ...order, refunded: 250 }).data : orderPaid(order).data;
    });
    const sale = { customer_key: "customer-1", amount_cents: 1_000 };
    await Promise.all(
      orders.slice(1).map(({ id, created_at }) => shop.sale({ ...sale, transaction_id: id, occurred_at: created_at })),
    );
    const older = orderPaid({ id: uuid(999), net: 1, tax: 0, metadata, at: timeOf(0) - 90 * day }).data;
    const all = [...orders, older];
    const api = await fakeApi(
      ({ pathname, searchParams: query }) => {
        if (pathname !== "/v1/orders/") return all.find(({ id }) => pathname === `/v1/orders/${id}`);
        const [limit, page] = [Number(query.get("limit")), Number(query.get("page"))];
        const items = all.slice((page - 1) * limit, page * limit);
        return { items, pagination: { total_count: all.length, max_page: Math.ceil(all.length / limit) } };
      },
      { key, slowEvery: 2 },
    );
    const { report } = await run(shop, "polar", api, key);
    expect(report).toMatchObject({
      matched: 128,
      missing: [{ id: uuid(0) }],
      unexpected: [],
      differs: [{ id: uuid(120), theirs: figures(1_000, 250), ours: figures(1_000, 0) }],
    });
    expect((await run(shop, "polar", api, key, "--apply")).report).toMatchObject({
      matched: 130,
      missing: [],
      differs: [],
    });
    const again = await run(shop, "polar", api, key, "--sandbox");
    expect(again.report).toMatchObject({ test_mode: true, matched: 0, missing: { length: 130 } });
  });
});

describe("reconcile lemon-squeezy", () => {
  const key = "lemon-of-the-tests";

  async function open({ isTest = false } = {}) {
    const shop = await createProgramFixture();
    const dollars = { currency: "USD", isTest };
    const orders = Array.from({ length: 105 }, (_, i) => {
      const charge = { id: String(i + 1), total: 1_190, tax: 190, at: timeOf(i), ...dollars };
      return i === 2 ? lemonRefunded({ ...charge, refunded: 595 }).data : orderCreated(charge).data;
    });
    const invoices = [
      invoicePaid({ id: "1", total: 2_380, tax: 380, at: timeOf(3), subscription: 7, ...dollars }).data,
      invoicePaid({ id: "2", total: 1_190, tax: 190, at: timeOf(4), reason: "initial", ...dollars }).data,
    ];
    const mode = isTest ? inTestMode : {};
    const sale = { customer_key: "customer-1", currency: "USD", ...mode };
    const byLemon = (id: string, amount_cents: number, i: number) =>
      shop.sale({ ...sale, transaction_id: id, amount_cents, occurred_at: at(timeOf(i)), subscription_id: "7" });
    await Promise.all(orders.slice(1).map(({ id }, i) => byLemon(`order_${id}`, 1_000, i + 1)));
    const pages = (list: readonly { readonly id: string }[], query: URLSearchParams) => {
      const [size, number] = [Number(query.get("page[size]")), Number(query.get("page[number]"))];
      const data = list.slice((number - 1) * size, number * size);
      return { data, meta: { page: { currentPage: number, lastPage: Math.ceil(list.length / size) } } };
    };
    const api = await fakeApi(
      ({ pathname, searchParams: query }) => {
        if (pathname === "/v1/users/me") return { data: {}, meta: { test_mode: isTest } };
        if (pathname === "/v1/orders") return pages(orders, query);
        if (pathname === "/v1/subscription-invoices") return pages(invoices, query);
        const [, kind, id] = /^\/v1\/([\w-]+)\/(\d+)$/.exec(pathname) ?? [];
        const data = (kind === "orders" ? orders : invoices).find((each) => each.id === id);
        return data && { data };
      },
      { key },
    );
    return { shop, api };
  }

  test("reconcile lemon-squeezy finds missing orders and renewals, sends those whose data is complete, and says why it skips the others", async () => {
    const { shop, api } = await open();
    const { report } = await run(shop, "lemon-squeezy", api, key);
    expect(report).toMatchObject({ matched: 103, unexpected: [], test_mode: false });
    expect(ids(report.missing)).toEqual(["order_1", "subscription_invoice_1"]);
    expect(report.differs).toEqual([
      { id: "order_3", theirs: figures(1_000, 500, "USD"), ours: figures(1_000, 0, "USD"), why: "refunds" },
    ]);
    const applied = await run(shop, "lemon-squeezy", api, key, "--apply");
    expect(applied.report).toMatchObject({ matched: 105, differs: [], sent: ["subscription_invoice_1", "order_3"] });
    expect(applied.report.missing).toEqual([
      { id: "order_1", theirs: figures(1_000, 0, "USD"), why: expect.stringContaining("names no customer") },
    ]);
  });

  test("reconcile lemon-squeezy compares the payments of a test mode key with the test book", {
    tags: "soak",
  }, async () => {
    const { shop, api } = await open({ isTest: true });
    const { report } = await run(shop, "lemon-squeezy", api, key);
    expect(report).toMatchObject({ test_mode: true, matched: 103, missing: { length: 2 } });
  });
});
