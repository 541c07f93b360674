import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { openDashboard } from "../support/dashboard.ts";
import { explained } from "../support/explain.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const staff = usersOfFile();

interface Row {
  readonly line: number;
  readonly result: string;
  readonly code?: string;
  readonly field?: string;
  readonly id?: number;
  readonly warnings?: readonly string[];
  readonly effects?: JsonObject;
}

const told = (rows: readonly Row[]) =>
  rows.map(({ result, code, field }) => [result, code, field].filter(Boolean).join(" "));

async function openShop(settings: WorldSettings = {}) {
  const shop = await openDashboard(staff, settings);
  const { world, alice, bob } = shop;
  const send = (rows: readonly JsonObject[], options: JsonObject = {}) =>
    staff.admin.post<{ data: { rows: Row[] } }>(`/api/programs/${world.programId}/imports/rows`, {
      kind: "customers",
      source: "Former program",
      rows: rows.map((row, i) => ({ line: i + 1, partner_code: alice.code, ...row })),
      ...options,
    });
  const run = async (rows: readonly JsonObject[], options: JsonObject = {}) => {
    const { status, text, body } = await send(rows, options);
    expect(status, text).toBe(200);
    return body.data.rows;
  };
  const sell = (transaction_id: string, body: JsonObject = {}) =>
    shop.sale({ transaction_id, amount_cents: 4_900, customer_key: "cus_9", ...body });
  /** Everything but settings: what an import could change. */
  const books = async () => {
    const names = ["customers", "sales", "commissions", "ledger_entries", "leads", "audit_entries", "pending_moves"];
    const tables = await Promise.all(
      names.map((name) =>
        name === "pending_moves"
          ? world.rows(
              "select m.* from pending_moves m join customers u on u.id = m.customer_id where u.program_id = ?",
              world.programId,
            )
          : world.rows(`select * from ${name} where program_id = ? order by id`, world.programId),
      ),
    );
    return JSON.stringify(tables);
  };
  const balance = async () => {
    const [row] = await world.rows(
      "select coalesce(sum(amount_cents), 0) as cents from ledger_entries where program_id = ? and partner_id = ?",
      world.programId,
      alice.id,
    );
    return Number(row?.cents);
  };
  return { ...shop, alice, bob, send, run, sell, books, balance };
}

const recurring = { policies: [{ rateBps: 2_000, scope: "recurring", durationMonths: 12 }] } as const;

describe("an imported customer", () => {
  test("earns for the partner at the next renewal, by key, by subscription alone, and on each later one", async () => {
    const { run, sell, alice, ...shop } = await openShop(recurring);
    const rows = await run([{ customer_key: "cus_9", first_sale_at: at(daysAgo(300)), subscription_id: "sub_9" }]);
    expect(told(rows)).toEqual(["created"]);
    const earned = { attributed: true, source: "import", partner_code: alice.code, commission: { amount_cents: 980 } };
    expect(await sell("by key")).toMatchObject(earned);
    const bySubscription = { transaction_id: "by subscription", amount_cents: 4_900, subscription_id: "sub_9" };
    expect(await shop.sale(bySubscription)).toMatchObject(earned);
    expect(await shop.sale({ ...bySubscription, transaction_id: "later" })).toMatchObject(earned);
    expect(await shop.refund({ transaction_id: "later" })).toMatchObject({ commission_reversed_cents: 980 });
    expect(await explained(shop, { customer_key: "cus_9" })).toMatchObject({
      customer: { source: "import", evidence: null },
      verdict: { attributed: true, partner_code: alice.code },
    });
  });

  test("earns by its subscription before any sale by its key", async () => {
    const { run, alice, ...shop } = await openShop(recurring);
    await run([{ customer_key: "cus_9", subscription_id: "sub_9" }]);
    const body = { transaction_id: "renewal", amount_cents: 4_900, subscription_id: "sub_9" };
    expect(await shop.sale(body)).toMatchObject({ partner_code: alice.code, commission: { amount_cents: 980 } });
    expect(
      (await shop.api.sale({ ...body, transaction_id: "other", subscription_id: "sub_8" }, { key: shop.world.key }))
        .status,
    ).toBe(400);
  });

  test("earns nothing once what the policy covers is over, counted from the former program's first sale", async () => {
    const { run, sell } = await openShop(recurring);
    await run([{ customer_key: "cus_9", first_sale_at: at(daysAgo(367)).slice(0, 10) }]);
    expect(await sell("over")).toMatchObject({
      attributed: true,
      commission: { amount_cents: 0, status: "void", reason: "commission_duration_over" },
    });
  });

  test("earns no one-time commission where the former program paid the first sale", async () => {
    const { run, sell } = await openShop({ policies: [{ rateBps: 2_000, scope: "one_time" }] });
    await run([{ customer_key: "cus_9", first_sale_at: at(daysAgo(30)) }, { customer_key: "new" }]);
    expect(await sell("again")).toMatchObject({ commission: { amount_cents: 0, reason: "recurring_not_covered" } });
    expect(await sell("first", { customer_key: "new" })).toMatchObject({ commission: { amount_cents: 980 } });
  });

  test("keeps its partner, whatever clicks, leads and imports come later", async () => {
    const { run, sell, alice, bob, books, ...shop } = await openShop();
    await run([{ customer_key: "cus_9" }]);
    await shop.lead({ customer_key: "cus_9", click_id: shop.click(bob, daysAgo(0.001)) });
    expect(await sell("a", { click_id: shop.click(bob, daysAgo(0.001)) })).toMatchObject({ partner_code: alice.code });
    const before = await books();
    expect(told(await run([{ customer_key: "cus_9", partner_code: bob.code }]))).toEqual([
      "refused other_partner partner_code",
    ]);
    expect(await books()).toBe(before);
  });
});

describe("earlier sales", () => {
  const twoSales = async () => {
    const shop = await openShop();
    await shop.sell("long ago", { occurred_at: at(daysAgo(30)) });
    await shop.sell("lately", { occurred_at: at(daysAgo(10)) });
    return shop;
  };

  test("stay as they are without a `since`", async () => {
    const { run, sell, balance } = await twoSales();
    const [row] = await run([{ customer_key: "cus_9" }]);
    expect(row).not.toHaveProperty("effects");
    expect(await balance()).toBe(0);
    expect(await sell("next")).toMatchObject({ commission: { amount_cents: 980 } });
    expect(await sell("before", { occurred_at: at(daysAgo(5)) })).toMatchObject({
      attributed: false,
      reason: "no_click",
    });
  });

  test("earn from `since` on, with consent alone, and a dry run tells what they come to", async () => {
    const { run, balance, books, world } = await twoSales();
    const row = { customer_key: "cus_9", since: at(daysAgo(20)) };
    const before = await books();
    expect(told(await run([row]))).toEqual(["refused past_needs_consent since"]);
    const effects = { sales: 1, amounts: [{ currency: "EUR", cents: 980 }] };
    const [checked] = await run([{ ...row, pay_past: "true" }], { dryRun: true });
    expect(checked).toMatchObject({ result: "created", effects });
    expect(await books()).toBe(before);
    expect(await run([{ ...row, pay_past: true }])).toEqual([{ ...checked, id: expect.any(Number) }]);
    expect(await balance()).toBe(980);
    const sold = await world.rows(
      "select transaction_id as t, partner_id as p from sales where program_id = ? order by id",
      world.programId,
    );
    expect(sold.map(({ t, p }) => [t, p !== null])).toEqual([
      ["long ago", false],
      ["lately", true],
    ]);
    const after = await books();
    expect(told(await run([{ ...row, pay_past: true }, row]))).toEqual(["unchanged", "unchanged"]);
    expect(await books()).toBe(after);
  });

  test("that were refunded earn what is left of them", async () => {
    const { run, balance, ...shop } = await twoSales();
    await shop.refund({ transaction_id: "lately", refund_amount_cents: 2_450 });
    const [row] = await run([{ customer_key: "cus_9", since: at(daysAgo(40)), pay_past: true }]);
    expect(row).toMatchObject({ effects: { sales: 2, amounts: [{ currency: "EUR", cents: 980 + 490 }] } });
    expect(await balance()).toBe(980 + 490);
  });

  test("take the rows of a call in their order, each on what the one before it left", async () => {
    const { run, balance } = await twoSales();
    const rows = await run([
      { customer_key: "cus_9", since: at(daysAgo(40)), pay_past: true },
      { customer_key: "cus_9", first_sale_at: at(daysAgo(50)) },
      { customer_key: "cus_9", first_sale_at: at(daysAgo(51)) },
      { customer_key: "cus_9", since: at(daysAgo(41)), pay_past: true },
    ]);
    expect(told(rows)).toEqual(["created", "updated", "refused differs first_sale_at", "refused differs since"]);
    expect(await balance()).toBe(2 * 980);
  });

  test("of an unconfirmed attribution move from `since` on, and those from before stay", async () => {
    const { run, sell, alice, bob, world, ...shop } = await openShop();
    await shop.browserLead({ customer_key: "cus_9", click_id: shop.click(bob, daysAgo(40)) });
    await sell("before", { occurred_at: at(daysAgo(30)) });
    await sell("after", { occurred_at: at(daysAgo(10)) });
    const [row] = await run([{ customer_key: "cus_9", since: at(daysAgo(20)), pay_past: true }]);
    expect(row).toMatchObject({ result: "created", effects: { sales: 1 } });
    const sold = await world.rows(
      "select partner_id as p from sales where program_id = ? order by id",
      world.programId,
    );
    expect(sold.map(({ p }) => p)).toEqual([bob.id, alice.id]);
  });

  test("too many for one commit follow one after the other", async () => {
    const { run, sell, balance, world } = await openShop();
    const keys = ["a", "b", "c", "d", "e", "f", "g"];
    for (const customer_key of keys) {
      await Promise.all(
        Array.from({ length: 101 }, (_, n) =>
          sell(`${customer_key}-${n}`, { customer_key, amount_cents: 100, occurred_at: at(daysAgo(20, n)) }),
        ),
      );
    }
    const rows = keys.map((customer_key) => ({ customer_key, since: at(daysAgo(30)), pay_past: true }));
    const checked = await run(rows, { dryRun: true });
    const first = {
      result: "created",
      warnings: ["more_sales"],
      effects: { sales: 100, amounts: [{ currency: "EUR", cents: 2_000 }] },
    };
    for (const row of checked) expect(row).toMatchObject(first);
    const imported = await run(rows);
    expect(imported).toEqual(checked);
    await expect
      .poll(
        () =>
          world.rows(
            "select count(*) as n from pending_moves m join customers u on u.id = m.customer_id where u.program_id = ?",
            world.programId,
          ),
        { timeout: 60_000 },
      )
      .toMatchObject([{ n: 0 }]);
    expect(await balance()).toBe(7 * 101 * 20);
  });
});

describe("a customer who has a partner already", () => {
  test("keeps what is known, and gets what was missing", async () => {
    const { run, sell, alice, bob, ...shop } = await openShop();
    await shop.lead({ customer_key: "cus_9", click_id: shop.click(alice, daysAgo(9)) });
    await shop.lead({ customer_key: "bobs", click_id: shop.click(bob, daysAgo(9)) });
    const firstSale = { customer_key: "cus_9", first_sale_at: at(daysAgo(400)) };
    expect(told(await run([firstSale, firstSale, { customer_key: "cus_9" }, { customer_key: "bobs" }]))).toEqual([
      ...["updated", "unchanged", "unchanged", "refused other_partner partner_code"],
    ]);
    expect(
      told(
        await run([
          { ...firstSale, subscription_id: "s" },
          { ...firstSale, subscription_id: "t" },
        ]),
      ),
    ).toEqual([...["updated", "refused differs subscription_id"]]);
    expect(await sell("next")).toMatchObject({ source: "click", partner_code: alice.code });
  });

  test("has a first sale here, which an earlier one elsewhere comes before", async () => {
    const { run, sell } = await openShop();
    await run([{ customer_key: "cus_9" }]);
    await sell("first");
    expect(told(await run([{ customer_key: "cus_9", first_sale_at: at(daysAgo(3)) }]))).toEqual(["updated"]);
  });
});

test("a subscription is one customer's", async () => {
  const { run, sell } = await openShop();
  await sell("sold", { customer_key: "other", subscription_id: "sold" });
  const rows = await run([
    { customer_key: "a", subscription_id: "s" },
    { customer_key: "b", subscription_id: "s" },
    { customer_key: "c", subscription_id: "sold" },
    { customer_key: "other", subscription_id: "sold" },
  ]);
  const taken = "refused subscription_taken subscription_id";
  expect(told(rows)).toEqual(["created", taken, taken, "created"]);
  expect(told(await run([{ customer_key: "b", subscription_id: "s" }]))).toEqual([taken]);
});

test("faulty rows are refused with their column, and the others are imported", async () => {
  const { run, world } = await openShop();
  const rows = await run([
    { customer_key: "", partner_code: "x" },
    { customer_key: "a", partner_code: "nobody" },
    { customer_key: "a", since: "1.11.2026" },
    { customer_key: "a", since: at(daysAgo(-400)) },
    { customer_key: "a", first_sale_at: at(daysAgo(-1)) },
    { customer_key: "a", pay_past: "perhaps" },
    { customer_key: " a ", partner_code: " a ", since: "" },
    { customer_key: "future", since: at(daysAgo(-30)) },
  ]);
  expect(told(rows.slice(0, 6))).toEqual([
    "refused invalid_value customer_key",
    "refused unknown_partner partner_code",
    "refused invalid_value since",
    "refused invalid_value since",
    "refused invalid_value first_sale_at",
    "refused invalid_value pay_past",
  ]);
  expect(told(rows.slice(7))).toEqual(["created"]);
  expect(await world.rows("select customer_key from customers where program_id = ?", world.programId)).toHaveLength(1);
});

test("the same rows again change nothing, in whatever calls and order", async () => {
  const { run, books } = await openShop();
  const rows = [
    { customer_key: "a", first_sale_at: "2026-03-01", subscription_id: "s" },
    { customer_key: "b", since: at(daysAgo(9)), pay_past: true },
    { customer_key: "c" },
  ];
  const first = await run(rows);
  const before = await books();
  const again = await run(rows);
  expect(again.map(({ result, id }) => [result, id])).toEqual(first.map(({ id }) => ["unchanged", id]));
  for (const row of rows.toReversed()) expect(told(await run([row]))).toEqual(["unchanged"]);
  expect(await books()).toBe(before);
});

test("rows of many calls at once bind each customer once", async () => {
  const { run, sell, world } = await openShop();
  const rows = Array.from({ length: 20 }, (_, n) => ({ customer_key: `c${n}` }));
  const answers = await Promise.all([
    ...Array.from({ length: 5 }, () => run(rows)),
    ...rows.map(({ customer_key }) => sell(customer_key, { customer_key })),
  ]);
  const results = answers.slice(0, 5).flatMap((answer) => told(answer as Row[]));
  expect(results.filter((result) => result === "created")).toHaveLength(20);
  expect(results.filter((result) => result === "unchanged")).toHaveLength(80);
  expect(
    await world.rows("select id from customers where program_id = ? and source = 'import'", world.programId),
  ).toHaveLength(20);
});

test("of the test book, nothing is imported or known", async () => {
  const { run, ...shop } = await openShop();
  await run([{ customer_key: "cus_9", subscription_id: "sub_9" }]);
  const sold = await shop.sale({
    transaction_id: "t",
    amount_cents: 100,
    customer_key: "cus_9",
    additional_data: { test_mode: true },
  });
  expect(sold).toMatchObject({ attributed: false });
});
