import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { customersShop, type ImportedRow, told } from "../support/customers-shop.ts";
import { explained } from "../support/explain.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const staff = usersOfFile();
const openShop = (settings = {}) => customersShop(staff, settings);

const recurring = { policies: [{ rateBps: 2_000, scope: "recurring", durationMonths: 12 }] } as const;

describe("an imported customer", () => {
  test("an imported customer earns for the partner at each renewal, identified by customer_key or only by subscription", async () => {
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

  test("an imported customer earns by their subscription before any sale with their customer_key", async () => {
    const { run, alice, ...shop } = await openShop(recurring);
    await run([{ customer_key: "cus_9", subscription_id: "sub_9" }]);
    const body = { transaction_id: "renewal", amount_cents: 4_900, subscription_id: "sub_9" };
    expect(await shop.sale(body)).toMatchObject({ partner_code: alice.code, commission: { amount_cents: 980 } });
    expect(
      (await shop.api.sale({ ...body, transaction_id: "other", subscription_id: "sub_8" }, { key: shop.world.key }))
        .status,
    ).toBe(400);
  });

  test("an imported customer earns nothing once the policy's months, counted from the former program's first sale, are over", async () => {
    const { run, sell } = await openShop(recurring);
    await run([{ customer_key: "cus_9", first_sale_at: at(daysAgo(367)).slice(0, 10) }]);
    expect(await sell("over")).toMatchObject({
      attributed: true,
      commission: { amount_cents: 0, status: "void", reason: "commission_duration_over" },
    });
  });

  test("an imported customer earns no one-time commission if the former program paid the first sale", async () => {
    const { run, sell } = await openShop({ policies: [{ rateBps: 2_000, scope: "one_time" }] });
    await run([{ customer_key: "cus_9", first_sale_at: at(daysAgo(30)) }, { customer_key: "new" }]);
    expect(await sell("again")).toMatchObject({ commission: { amount_cents: 0, reason: "recurring_not_covered" } });
    expect(await sell("first", { customer_key: "new" })).toMatchObject({ commission: { amount_cents: 980 } });
  });

  test("an imported customer stays with the partner after later clicks, leads and imports", async () => {
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

describe("a customer who already has a partner", () => {
  test("a customer who already has a partner keeps the stored values, and receives missing ones from the import", async () => {
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

  test("an import adds the former program's earlier first sale to a customer who already has a partner and a recorded sale", async () => {
    const { run, sell } = await openShop();
    await run([{ customer_key: "cus_9" }]);
    await sell("first");
    expect(told(await run([{ customer_key: "cus_9", first_sale_at: at(daysAgo(3)) }]))).toEqual(["updated"]);
  });
});

test("a sale with an unknown customer_key and a known subscription_id is recorded for the subscription's customer", async () => {
  const { run, sell, alice, bob, ...shop } = await openShop();
  await run([{ customer_key: "cus_9", subscription_id: "sub_9" }]);
  const renewal = { customer_key: "user-17", subscription_id: "sub_9" };
  expect(await sell("other key", renewal)).toMatchObject({ partner_code: alice.code, source: "import" });
  expect(await sell("and a click", { ...renewal, click_id: shop.click(bob) })).toMatchObject({
    partner_code: alice.code,
  });
  const bySubscription = { transaction_id: "alone", amount_cents: 4_900, subscription_id: "sub_9" };
  expect(await shop.sale(bySubscription)).toMatchObject({ partner_code: alice.code });
  await sell("known", { customer_key: "known" });
  expect(await sell("a known key wins", { ...renewal, customer_key: "known" })).toMatchObject({ attributed: false });
});

test("a subscription can't be imported for two customers", async () => {
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

test("an import of customers refuses invalid rows with their column, and imports the others", async () => {
  const { run, world } = await openShop();
  const rows = await run([
    { customer_key: "", partner_code: "x" },
    { customer_key: "a", partner_code: "nobody" },
    { customer_key: "a", since: "1.11.2026" },
    { customer_key: "a", since: at(daysAgo(-400)) },
    { customer_key: "a", first_sale_at: at(daysAgo(-1)) },
    { customer_key: "a", pay_past: "perhaps" },
    { customer_key: 2 ** 60 },
    { customer_key: true },
    { customer_key: " a ", partner_code: " a ", since: "" },
    { customer_key: "future", since: at(daysAgo(-30)) },
  ]);
  expect(told(rows.slice(0, 8))).toEqual([
    "refused invalid_value customer_key",
    "refused unknown_partner partner_code",
    "refused invalid_value since",
    "refused invalid_value since",
    "refused invalid_value first_sale_at",
    "refused invalid_value pay_past",
    "refused invalid_value customer_key",
    "refused invalid_value customer_key",
  ]);
  expect(told(rows.slice(9))).toEqual(["created"]);
  expect(await world.rows("select customer_key from customers where program_id = ?", world.programId)).toHaveLength(1);
});

test("importing the same customers again changes nothing, in any order and any division into calls", async () => {
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

test("parallel calls attribute each imported customer once", async () => {
  const { run, sell, world } = await openShop();
  const rows = Array.from({ length: 20 }, (_, n) => ({ customer_key: `c${n}` }));
  const answers = await Promise.all([
    ...Array.from({ length: 5 }, () => run(rows)),
    ...rows.map(({ customer_key }) => sell(customer_key, { customer_key })),
  ]);
  const results = answers.slice(0, 5).flatMap((answer) => told(answer as ImportedRow[]));
  expect(results.filter((result) => result === "created")).toHaveLength(20);
  expect(results.filter((result) => result === "unchanged")).toHaveLength(80);
  expect(
    await world.rows("select id from customers where program_id = ? and source = 'import'", world.programId),
  ).toHaveLength(20);
});

test("an import of customers doesn't write to the test book", async () => {
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

test("the feed names the partner of a customer known only from an import", async () => {
  const { run, world, alice } = await customersShop(staff);
  await run([{ customer_key: "cus_9" }]);
  const path = `/api/v1/programs/me/events?types=lead.moved`;
  const { body } = await sharedApi().request<{ events: JsonObject[] }>("GET", path, { key: world.key });
  expect(body.events.map(({ data }) => data)).toMatchObject([
    {
      object: { lead_id: null, customer_key: "cus_9", source: "import", partner_code: alice.code },
      previous: { partner_id: null },
    },
  ]);
});
