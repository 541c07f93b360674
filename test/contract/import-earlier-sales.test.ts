import { expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { customersShop, told } from "../support/customers-shop.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const staff = usersOfFile();
const openShop = (settings = {}) => customersShop(staff, settings);

const twoSales = async () => {
  const shop = await openShop();
  await shop.sell("long ago", { occurred_at: at(daysAgo(30)) });
  await shop.sell("lately", { occurred_at: at(daysAgo(10)) });
  return shop;
};

test("importing a customer doesn't change earlier sales if the row has no `since`", async () => {
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

test("an imported customer's earlier sales from `since` on earn only with `pay_past`, and a dry run reports their commissions", async () => {
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

test("an imported customer's earlier sales with a refund earn on the remaining amount", async () => {
  const { run, balance, ...shop } = await twoSales();
  await shop.refund({ transaction_id: "lately", refund_amount_cents: 2_450 });
  const [row] = await run([{ customer_key: "cus_9", since: at(daysAgo(40)), pay_past: true }]);
  expect(row).toMatchObject({ effects: { sales: 2, amounts: [{ currency: "EUR", cents: 980 + 490 }] } });
  expect(await balance()).toBe(980 + 490);
});

test("the rows of an import call are applied one after the other, in order", async () => {
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

test("an imported customer's unconfirmed sales move to the imported partner if the sales are after `since`", async () => {
  const { run, sell, alice, bob, world, ...shop } = await openShop();
  await shop.browserLead({ customer_key: "cus_9", click_id: shop.click(bob, daysAgo(40)) });
  await sell("before", { occurred_at: at(daysAgo(30)) });
  await sell("after", { occurred_at: at(daysAgo(10)) });
  const [row] = await run([{ customer_key: "cus_9", since: at(daysAgo(20)), pay_past: true }]);
  expect(row).toMatchObject({ result: "created", effects: { sales: 1 } });
  const sold = await world.rows("select partner_id as p from sales where program_id = ? order by id", world.programId);
  expect(sold.map(({ p }) => p)).toEqual([bob.id, alice.id]);
});

test("another partner's sales from before `since` stay with that partner when the sales are corrected", async () => {
  const { run, sell, bob, world, ...shop } = await openShop();
  await shop.browserLead({ customer_key: "cus_9", click_id: shop.click(bob, daysAgo(40)) });
  const { sale_id } = await sell("before", { occurred_at: at(daysAgo(30)) });
  await run([{ customer_key: "cus_9" }]);
  const correct = (body: JsonObject) =>
    staff.admin.post(`/api/programs/${world.programId}/sales/${sale_id}/correct`, {
      reason: "wrong amount",
      ...body,
    });
  const { status, text, body } = await correct({ amountCents: 9_800 });
  expect(status, text).toBe(200);
  expect(body).toMatchObject({
    data: { after: { partnerId: bob.id, commission: { status: "pending", unconfirmed: true, amountCents: 1_960 } } },
  });
  const [open] = await world.rows(
    "select c.id from commissions c where c.program_id = ? and c.partner_id = ? and c.status = 'pending'",
    ...[world.programId, bob.id],
  );
  const approved = await staff.admin.post(`/api/programs/${world.programId}/commissions/${open?.id}/approve`, {});
  expect(approved.status, approved.text).toBe(200);
  expect(await sell("after")).toMatchObject({ source: "import" });
});

test.each(["import", "assign"] as const)(
  "unconfirmed sales keep the one_time commission if an import or a member attributes the customer to the sales' partner: %s",
  async (how) => {
    const { run, sell, alice, world, balance, ...shop } = await openShop({
      policies: [{ rateBps: 2_000, scope: "one_time" }],
    });
    await shop.browserLead({ customer_key: "cus_9", click_id: shop.click(alice, daysAgo(9)) });
    await sell("first", { occurred_at: at(daysAgo(3)) });
    if (how === "import") await run([{ customer_key: "cus_9" }]);
    else {
      const body = { customerKey: "cus_9", partnerId: alice.id, reason: "told us" };
      expect((await staff.admin.post(`/api/programs/${world.programId}/customers/assign`, body)).status).toBe(200);
    }
    expect(await sell("second")).toMatchObject({ commission: { status: "void", reason: "recurring_not_covered" } });
    expect(await balance()).toBe(980);
  },
);

test("if an import confirms the partner of earlier unconfirmed sales, a recurring policy counts its months from the first of those sales", async () => {
  const { run, sell, alice, ...shop } = await openShop({
    policies: [{ rateBps: 2_000, scope: "recurring", durationMonths: 1 }],
  });
  await shop.browserLead({ customer_key: "cus_9", click_id: shop.click(alice, daysAgo(50)) });
  await sell("first", { occurred_at: at(daysAgo(45)) });
  await run([{ customer_key: "cus_9" }]);
  expect(await sell("second")).toMatchObject({ commission: { reason: "commission_duration_over" } });
});

test("sales that earned nothing before an import still earn nothing if they are corrected after the import", async () => {
  const { run, sell, alice, bob, world, ...shop } = await openShop({
    policies: [{ rateBps: 2_000, scope: "one_time" }],
  });
  await shop.browserLead({ customer_key: "cus_9", click_id: shop.click(alice, daysAgo(9)) });
  await sell("first", { occurred_at: at(daysAgo(5)) });
  const { sale_id } = await sell("second", { occurred_at: at(daysAgo(3)) });
  await run([{ customer_key: "cus_9", partner_code: bob.code }]);
  const path = `/api/programs/${world.programId}/sales/${sale_id}/correct`;
  const { body } = await staff.admin.post(path, { amountCents: 5_000, reason: "wrong amount" });
  expect(body).toMatchObject({
    data: { after: { partnerId: alice.id, commission: { status: "void", reason: "recurring_not_covered" } } },
  });
});

test("sales keep the commissions that one import row gave them if a later row of the same customer has an earlier first sale", async () => {
  const { run, sell, balance } = await openShop({ policies: [{ rateBps: 2_000, scope: "one_time" }] });
  await sell("lately", { occurred_at: at(daysAgo(3)) });
  const rows = [
    { customer_key: "cus_9", since: at(daysAgo(5)), pay_past: true },
    { customer_key: "cus_9", first_sale_at: at(daysAgo(90)) },
  ];
  expect(told(await run(rows))).toEqual(["created", "updated"]);
  expect(await balance()).toBe(980);
});

test("an import's commissions for earlier sales deduct all refunds, even if there are more than one database request reads", {
  tags: "soak",
}, async () => {
  const { run, sell, balance, ...shop } = await openShop();
  for (const [n, customer_key] of ["a", "b"].entries()) {
    await sell(customer_key, { customer_key, occurred_at: at(daysAgo(3)) });
    for (let i = 0; i < 45; i += 1) {
      await shop.refund({ transaction_id: customer_key, refund_id: `${n}-${i}`, refund_amount_cents: 100 });
    }
  }
  const rows = await run(["a", "b"].map((customer_key) => ({ customer_key, since: at(daysAgo(5)), pay_past: true })));
  expect(rows).toMatchObject([
    { effects: { sales: 1, amounts: [{ currency: "EUR", cents: 80 }] } },
    { effects: { sales: 1 } },
  ]);
  expect(await balance()).toBe(160);
});

test("an import processes earlier sales in several batches if they are too many for one commit", {
  tags: "soak",
}, async () => {
  const { run, sell, balance, world } = await openShop();
  const keys = Array.from({ length: 26 }, (_, n) => `c${n}`);
  for (const customer_key of keys) {
    await Promise.all(
      Array.from({ length: 31 }, (_, n) =>
        sell(`${customer_key}-${n}`, { customer_key, amount_cents: 100, occurred_at: at(daysAgo(20, n)) }),
      ),
    );
  }
  const rows = keys.map((customer_key) => ({ customer_key, since: at(daysAgo(30)), pay_past: true }));
  const checked = await run(rows, { dryRun: true });
  const first = {
    result: "created",
    warnings: ["more_sales"],
    effects: { sales: 20, amounts: [{ currency: "EUR", cents: 400 }] },
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
  expect(await balance()).toBe(keys.length * 31 * 20);
});
