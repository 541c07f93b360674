import { describe, expect, it } from "vitest";
import { stepSizes } from "#store/sales.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { anna, ben, clara, openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

describe("a correction of the sale whose coupon attributed a customer", () => {
  it("a correction of the sale whose coupon attributed a customer moves the customer's other sales to their next coupon, even if one batch can't hold them", async () => {
    const { sell, correct, maintain, pending, world, consistent } = await openShop(own.server.url);
    await sell("t1", 5, "BEN10");
    await sell("t2", 4, "BEN10");
    for (let i = 0; i <= stepSizes.many.sales; i += 1) await sell(`o${i}`, 3 - i / 100);
    await correct("t1", { customerKey: "c2" });
    expect(await pending()).toBe(1);
    await consistent();
    await maintain();
    expect(await pending()).toBe(0);
    const rows = await world.rows(
      `select c.explanation ->> '$.direct.since' as since, count(*) as n from commissions c join sales s on s.id = c.sale_id
       join customers u on u.id = s.customer_id where c.program_id = ? and u.customer_key = 'c1' and s.transaction_id <> 't1'
       group by 1`,
      world.programId,
    );
    expect(rows).toMatchObject([{ since: daysAgo(4), n: stepSizes.many.sales + 2 }]);
    await consistent();
  });

  it("a correction of the sale whose coupon attributed a customer attributes the customer by the earliest of their coupons after the correction", async () => {
    const { sell, correct, books, balances, customer, consistent } = await openShop(own.server.url);
    await sell("t1", 5, "BEN10");
    await sell("t2", 3, "CLARA5");
    await sell("t3", 4);
    await correct("t1", { occurredAt: daysAgo(1) });
    expect(await books()).toMatchObject({
      t2: ["clara", "coupon", "pending", 980, "chosen"],
      t3: [null, "no_click", "void", 0],
      "t1~1": ["clara", "coupon", "pending", 980, "outranked"],
    });
    expect(await balances()).toEqual({ clara: 1_960 });
    expect(await customer()).toMatchObject({ source: "coupon", since: daysAgo(3) });
    await consistent();
  });

  it("a correction of the sale whose coupon attributed a customer leaves the former customer unattributed if none of their other sales has a valid coupon", async () => {
    const { sell, refund, correct, books, balances, customer, consistent } = await openShop(own.server.url);
    await sell("t1", 5, "BEN10");
    await sell("t2", 3);
    await refund("t2", "amount", { cents: 2_450, refundId: "r1" });
    await sell("t3", 2, "CLARA5");
    await correct("t1", { customerKey: "c2" });
    expect(await books()).toMatchObject({
      "t1~1": ["ben", "coupon", "pending", 980, "chosen"],
      t2: [null, "no_click", "void", 0],
      t3: [null, "existing_customer", "void", 0, "existing_customer"],
    });
    expect(await customer()).toMatchObject({ source: null, partner_id: null, first_sale_at: daysAgo(3) });
    await sell("t4", 1, "BEN10");
    expect(await balances()).toEqual({ ben: 980 });
    await refund("t2", "rest", { refundId: "r2" });
    await consistent();
  });

  it("a correction of the sale whose coupon attributed a customer doesn't move rejected sales, and lets a click attribute the others", async () => {
    const { sell, decide, refer, correct, books, balances, consistent } = await openShop(own.server.url);
    await sell("t1", 5, "BEN10");
    const { commissionId } = await sell("t2", 3);
    await decide(commissionId, "rejected");
    await sell("t3", 2);
    await correct("t1", { customerKey: "c2" });
    expect(await books()).toMatchObject({
      t2: ["ben", "coupon", "rejected", 0],
      t3: [null, "no_click", "void", 0],
    });
    await refer(anna, 6);
    expect(await balances()).toEqual({ ben: 980, anna: 980 });
    await consistent();
  });

  it("a correction of the sale whose coupon attributed a customer keeps the partner from the customer's next sale with the partner's coupon on", async () => {
    const { sell, correct, books, customer, consistent } = await openShop(own.server.url);
    await sell("t1", 5, "BEN10");
    await sell("t2", 3, "BEN10");
    await sell("t3", 4);
    await correct("t1", { customerKey: "c2" });
    expect(await books()).toMatchObject({
      t2: ["ben", "coupon", "pending", 980, "chosen"],
      t3: [null, "no_click", "void", 0],
    });
    expect(await customer()).toMatchObject({ source: "coupon", since: daysAgo(3) });
    await sell("t0", 4.5, "BEN10");
    expect(await books()).toMatchObject({ t3: [null, "no_click", "void", 0] });
    await consistent();
  });
});

describe("the explanation of a sale whose customer a coupon attributed", () => {
  it.each([
    ["the customer has no other sale", []],
    ["the customer has a later sale", ["t3"]],
  ])(
    "the explanation of a sale that moved to another customer keeps the start of the coupon's attribution, even if a correction moves the start later, and %s",
    async (_, others) => {
      const { world, sell, correct, books, customer, consistent } = await openShop(own.server.url);
      await sell("t1", 3);
      await sell("t2", 5, "BEN10");
      for (const other of others) await sell(other, 2);
      await correct("t1", { customerKey: "c2" });
      await correct("t2", { occurredAt: daysAgo(4) });
      expect(await books()).toMatchObject({ t1: ["ben", "coupon", "reversed", 0] });
      expect(await customer()).toMatchObject({ source: "coupon", since: daysAgo(4) });
      const rows = await world.rows(
        `select s.transaction_id as t, c.explanation ->> '$.direct.since' as since
       from commissions c join sales s on s.id = c.sale_id join customers u on u.id = s.customer_id
       where c.program_id = ? and u.customer_key = 'c1'`,
        world.programId,
      );
      expect(Object.fromEntries(rows.map(({ t, since }) => [t, since]))).toEqual({
        t1: daysAgo(5),
        t2: daysAgo(5),
        "t2~1": daysAgo(4),
        ...Object.fromEntries(others.map((t) => [t, daysAgo(4)])),
      });
      await consistent();
    },
  );
});

describe("a customer attributed by a coupon because their lead's click was too late", () => {
  const leads = async ({ world }: Awaited<ReturnType<typeof openShop>>) =>
    (await world.rows("select partner_id as partner from leads where program_id = ?", world.programId)).map(
      ({ partner }) => world.partners.findIndex(({ id }) => id === partner),
    );

  it.each([
    ["to a later time", { occurredAt: daysAgo(3) }, ["anna", "click", "pending", 980, "outranked"]],
    ["to another customer", { customerKey: "c2" }, ["ben", "coupon", "pending", 980, "chosen"]],
  ])(
    "a lead's click that came too late against a coupon attributes the customer again once the sale with the coupon is corrected %s",
    async (_, changes, corrected) => {
      const shop = await openShop(own.server.url);
      const { refer, sell, correct, books, customer, consistent } = shop;
      await refer(anna, 5, 4);
      await sell("t1", 12, "BEN10");
      await sell("t2", 2);
      await sell("t3", 1, "CLARA5");
      expect(await books()).toMatchObject({
        t2: ["ben", "coupon", "pending", 980],
        t3: ["ben", "coupon", "pending", 980, "outranked"],
      });
      await correct("t1", changes);
      expect(await books()).toMatchObject({
        "t1~1": corrected,
        t2: ["anna", "click", "pending", 980],
        t3: ["anna", "click", "pending", 980, "outranked"],
      });
      expect(await customer()).toMatchObject({
        source: "click",
        since: null,
        first_attributed_sale_at: expect.any(Number),
      });
      expect(await leads(shop)).toEqual([anna]);
      await sell("t4", 0.5);
      expect(await books()).toMatchObject({ t4: ["anna", "click", "pending", 980] });
      await consistent();
    },
  );

  it("a lead's click attributes no sale if it came after the customer's new first sale, once the sale with the coupon moves to another customer", async () => {
    const { refer, sell, correct, books, consistent } = await openShop(own.server.url);
    await refer(anna, 5, 4);
    await sell("t1", 12, "BEN10");
    await sell("t2", 11);
    await correct("t1", { customerKey: "c2" });
    expect(await books()).toMatchObject({ t2: [null, "no_click", "void", 0] });
    await sell("t3", 1);
    expect(await books()).toMatchObject({ t3: [null, "existing_customer", "void", 0] });
    await consistent();
  });
});

it("many sales become unattributed in steps if the click of the customer's lead is too late for all of them", async () => {
  const { world, refer, sell, correct, maintain, pending, consistent } = await openShop(own.server.url);
  await refer(anna, 5, 4);
  await sell("t1", 12, "BEN10");
  for (let i = 0; i < 120; i += 1) await sell(`f${i}`, 11 - i / 1_000);
  await correct("t1", { customerKey: "c2" });
  expect(await pending()).toBe(1);
  await maintain();
  expect(await pending()).toBe(0);
  const rows = await world.rows(
    "select partner_id as partner, count(*) as n from sales where program_id = ? and transaction_id like 'f%' group by 1",
    world.programId,
  );
  expect(rows).toEqual([{ partner: null, n: 120 }]);
  await consistent();
});

it("an assignment or import is refused for a customer whose sales are still moving to another partner", async () => {
  const { world, sell, attempt, customer } = await openShop(own.server.url);
  await sell("t1", 5, "BEN10");
  const [row] = await world.rows(
    `insert into pending_moves (customer_id, after_occurred_at, after_sale_id, is_partner_active, is_program_active, policy_version, created_at)
     select id, 0, 0, 1, 1, 1, 0 from customers where program_id = ? returning customer_id`,
    world.programId,
  );
  const before = await customer();
  const { id: partnerId = 0, code: partnerCode = "" } = world.partners[anna] ?? {};
  const assigned = { customerKey: "c1", partnerId, since: null, payPast: false, reason: "r" };
  expect(await attempt({ kind: "assign-customer", ...assigned })).toMatchObject({ refusal: { code: "moving" } });
  const unset = { since: undefined, firstSaleAt: undefined, subscriptionId: undefined };
  const rows = [{ line: 1, customerKey: "c1", partnerCode, payPast: false, ...unset }];
  expect(await attempt({ kind: "import-customers", source: "E", isDryRun: false, rows })).toMatchObject({
    answer: { outcomes: [{ line: 1, result: "refused", code: "moving" }] },
  });
  expect(await customer()).toEqual(before);
  await world.rows("delete from pending_moves where customer_id = ? returning 1", Number(row?.customer_id));
});

it("the audit accepts a sale whose customer was assigned to a partner in the millisecond in which the sale was recorded", async () => {
  const { world, sale, click, change, books, consistent } = await openShop(own.server.url);
  const { clickId, ...sent } = click(ben, 200);
  const clicked = { clicks: [{ clickId, ...sent }], clickId, sentClickId: true };
  await sale("t1", daysAgo(4), { amountCents: 4_900, ...clicked });
  expect(await books()).toMatchObject({ t1: [null, "attribution_window_expired", "void", 0] });
  const { id: partnerId = 0 } = world.partners[anna] ?? {};
  const to = { customerKey: "c1", partnerId, since: daysAgo(5), payPast: true, reason: "r" };
  await change({ kind: "assign-customer", ...to } as Parameters<typeof change>[0]);
  expect(await books()).toMatchObject({ t1: ["anna", "person", "pending", 980] });
  await consistent();
});

it("the audit accepts a customer who is assigned back to the partner of a rejected sale from before the assignment", async () => {
  const { world, sell, change, books, consistent } = await openShop(own.server.url);
  await sell("t1", 4, "CLARA5");
  await sell("t2", 1);
  const [row] = await world.rows("select id from commissions where program_id = ? order by id", world.programId);
  const commissionIds = [Number(row?.id)] as const;
  await change({ kind: "decide-commissions", commissionIds, decision: "rejected", reason: "r", partnerNote: null });
  await sell("t3", 5, "ANNA5");
  const { id: partnerId = 0 } = world.partners[clara] ?? {};
  const to = { customerKey: "c1", partnerId, since: daysAgo(1), payPast: true, reason: "r" };
  await change({ kind: "assign-customer", ...to } as Parameters<typeof change>[0]);
  expect(await books()).toMatchObject({
    t1: ["clara", "coupon", "rejected", 0, "chosen"],
    t2: ["clara", "person", "pending", 980],
    t3: ["anna", "coupon", "pending", 980, "chosen"],
  });
  await consistent();
});

it("the audit accepts a commission whose policy's months begin with a customer's return to the partner of a rejected sale", async () => {
  const policy = { scope: "recurring", durationMonths: 1, holdDays: 60 } as const;
  const { world, sell, change, books, consistent } = await openShop(own.server.url, { policies: [policy] });
  await sell("t1", 40, "CLARA5");
  const [row] = await world.rows("select id from commissions where program_id = ?", world.programId);
  const commissionIds = [Number(row?.id)] as const;
  await change({ kind: "decide-commissions", commissionIds, decision: "rejected", reason: "r", partnerNote: null });
  await sell("t2", 41, "ANNA5");
  const { id: partnerId = 0 } = world.partners[clara] ?? {};
  const to = { customerKey: "c1", partnerId, since: daysAgo(1), payPast: true, reason: "r" };
  await change({ kind: "assign-customer", ...to } as Parameters<typeof change>[0]);
  await sell("t3", 0);
  expect(await books()).toMatchObject({
    t1: ["clara", "coupon", "rejected", 0, "chosen"],
    t2: ["anna", "coupon", "pending", 980, "chosen"],
    t3: ["clara", "person", "pending", 980],
  });
  await consistent();
});
