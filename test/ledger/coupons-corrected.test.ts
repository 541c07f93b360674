import { describe, expect, it } from "vitest";
import { openDatabaseClient } from "../../harness/database-client.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { AuditCopy } from "./audit-copy.ts";
import { anna, ben, clara, openShop } from "./coupons-shop.ts";

const own = isolatedDatabase();

describe("a corrected sale with a coupon", () => {
  it.each([clara, ben])(
    "a corrected sale with a coupon keeps the coupon's partner, even if the customer has since been assigned to the same or another partner",
    async (partner) => {
      const { world, sell, change, correct, balances, consistent } = await openShop(own.server.url);
      await sell("t1", 5, "BEN10");
      const partnerId = world.partners[partner]?.id ?? 0;
      await change({ kind: "assign-customer", customerKey: "c1", partnerId, since: null, payPast: false, reason: "r" });
      await correct("t1", { amountCents: 5_000 });
      expect(await balances()).toEqual({ ben: 1_000 });
      await consistent();
    },
  );

  it("a corrected sale with a coupon keeps the coupon's partner if it is corrected to a time before the customer's attribution", async () => {
    const { sell, decide, correct, books, balances, customer, consistent } = await openShop(own.server.url);
    const { commissionId } = await sell("t1", 5, "BEN10");
    await decide(commissionId, "approved");
    await correct("t1", { occurredAt: daysAgo(6) });
    expect(await balances()).toEqual({ ben: 980 });
    expect(await customer()).toMatchObject({ source: "coupon", since: daysAgo(6), confirmed_at: daysAgo(0) });
    await sell("t2", 5.5);
    expect(await books()).toMatchObject({ t2: ["ben", "coupon", "pending", 980] });
    await consistent();
  });

  it("a corrected sale with a coupon leaves its former customer unattributed when it is corrected to another customer", async () => {
    const { world, sell, correct, books, consistent } = await openShop(own.server.url);
    await sell("t1", 5, "BEN10");
    await correct("t1", { customerKey: "c2" });
    await sell("t2", 3);
    expect(await books()).toMatchObject({
      "t1~1": ["ben", "coupon", "pending", 980, "chosen"],
      t2: [null, "no_click", "void", 0],
    });
    const customers = await world.rows(
      "select customer_key as key, source from customers where program_id = ? order by 1",
      world.programId,
    );
    expect(customers.map(({ key, source }) => [key, source])).toEqual([
      ["c1", null],
      ["c2", "coupon"],
    ]);
    await consistent();
  });

  it.each([
    [2, 4, ["not_valid_then", "chosen"]],
    [4, 8, ["chosen", "not_valid_then"]],
  ])(
    "a coupon counts for a sale if it is valid at the sale's time, also after a correction of the time from %s to %s days ago",
    async (before, after, outcomes) => {
      const valid = { validFrom: daysAgo(6), validUntil: daysAgo(3) };
      const { sell, correct, books, consistent } = await openShop(own.server.url, {
        coupons: [{ codes: ["BEN10"], partner: ben, ...valid }],
      });
      await sell("t1", before, "BEN10");
      await correct("t1", { occurredAt: daysAgo(after) });
      const { t1 = [], "t1~1": corrected = [] } = await books();
      expect([t1.at(-1), corrected.at(-1)]).toEqual(outcomes);
      await consistent();
    },
  );

  it("after a sale with a click moves to another customer, a server's lead with the same click and an earlier time attributes the former customer", async () => {
    const { world, sale, lead, click, correct, consistent } = await openShop(own.server.url);
    const shown = click(anna, 6);
    await sale("t1", daysAgo(2), { clicks: [shown], clickId: shown.clickId, sentClickId: true });
    await correct("t1", { customerKey: "c2" }, [shown]);
    await lead("key", [shown], "c1", { occurredAt: daysAgo(3) });
    const [customer] = await world.rows(
      "select bound_by, bound_at from customers where program_id = ? and customer_key = 'c1'",
      world.programId,
    );
    expect(customer).toEqual({ bound_by: "lead", bound_at: daysAgo(3) });
    await consistent();
  });

  it("a click that is reported later attributes a corrected sale, but not the original version of the sale", async () => {
    const { sell, sale, click, refer, correct, books, consistent } = await openShop(own.server.url);
    await sell("t1", 5, "BEN10");
    await sell("t2", 9);
    const late = click(anna, 8);
    await sale("t3", daysAgo(7), { clicks: [late], clickId: late.clickId, sentClickId: true });
    await correct("t3", { amountCents: 5_000 }, [late]);
    await refer(clara, 20);
    expect(await books()).toMatchObject({
      t1: ["clara", "click", "pending", 980, "outranked"],
      t3: [null, "no_click", "void", 0],
      "t3~1": ["clara", "click", "pending", 1_000],
    });
    await consistent();
  });

  it("earlier sales stay unattributed when the sale whose coupon attributed the customer is corrected to another customer", async () => {
    const { sell, sale, click, correct, books, consistent } = await openShop(own.server.url);
    await sell("t1", 5, "BEN10");
    await sell("t2", 9);
    const late = click(anna, 8);
    await sale("t3", daysAgo(7), { clicks: [late], clickId: late.clickId, sentClickId: true });
    await correct("t1", { customerKey: "c2" });
    expect(await books()).toMatchObject({ t3: [null, "no_click", "void", 0] });
    await consistent();
  });
});

it("later sales of a customer become unattributed if the first sale is corrected to a time at which the sale's coupon isn't valid", async () => {
  const shop = await openShop(own.server.url, {
    coupons: [
      { codes: ["BEN10"], partner: ben, validUntil: daysAgo(4) },
      { codes: ["CLARA5"], partner: clara },
    ],
  });
  await shop.sell("t1", 5, "BEN10");
  await shop.sell("t2", 2, "CLARA5");
  await shop.sell("t3", 1);
  await shop.correct("t1", { occurredAt: daysAgo(3) });
  expect(await shop.books()).toMatchObject({
    "t1~1": [null, "no_click", "void", 0, "not_valid_then"],
    t2: [null, "existing_customer", "void", 0, "existing_customer"],
    t3: [null, "no_click", "void", 0],
  });
  await shop.correct("t1~1", { occurredAt: daysAgo(1.5) });
  expect(await shop.books()).toMatchObject({ t2: [null, "existing_customer", "void", 0, "existing_customer"] });
  await shop.consistent();
});

describe("a corrected sale of a customer who has since been attributed to another partner", () => {
  const bindTo = ({ world, change }: Awaited<ReturnType<typeof openShop>>, source: string) => {
    const { id: partnerId = 0, code: partnerCode = "" } = world.partners[clara] ?? {};
    const row = { line: 1, customerKey: "c1", partnerCode, payPast: false, since: undefined };
    return source === "import"
      ? change({
          ...{ kind: "import-customers", source: "E", isDryRun: false },
          rows: [{ ...row, firstSaleAt: undefined, subscriptionId: undefined }],
        })
      : change({ kind: "assign-customer", customerKey: "c1", partnerId, since: null, payPast: false, reason: "r" });
  };

  it.each(["import", "person"])(
    "a sale corrected after its customer got another partner is unattributed at a time before the sale whose coupon attributed the customer: %s",
    async (source) => {
      const shop = await openShop(own.server.url);
      await shop.sell("t1", 5, "BEN10");
      await shop.sell("t2", 3);
      await bindTo(shop, source);
      await shop.correct("t2", { occurredAt: daysAgo(4) });
      expect(await shop.books()).toMatchObject({ "t2~1": ["ben", "coupon", "pending", 980] });
      await shop.correct("t2~1", { occurredAt: daysAgo(6) });
      expect(await shop.books()).toMatchObject({ "t2~2": [null, "no_click", "void", 0] });
      expect(await shop.balances()).toEqual({ ben: 980 });
      await shop.consistent();
    },
  );

  it("a sale corrected after its customer got another partner is unattributed if its own coupon wasn't valid at the corrected time", async () => {
    const shop = await openShop(own.server.url, {
      coupons: [{ codes: ["BEN10"], partner: ben, validFrom: daysAgo(6), validUntil: daysAgo(4) }],
    });
    await shop.sell("t1", 5, "BEN10");
    await bindTo(shop, "import");
    await shop.correct("t1", { occurredAt: daysAgo(3) });
    expect(await shop.books()).toMatchObject({ "t1~1": [null, "no_click", "void", 0, "not_valid_then"] });
    await shop.consistent();
  });

  it("a sale of an imported customer that is corrected to an earlier time keeps the partner, and becomes the first attributed sale", async () => {
    const shop = await openShop(own.server.url);
    await shop.sell("t1", 5, "CLARA5");
    await shop.sell("t2", 3, "CLARA5");
    await bindTo(shop, "import");
    await shop.correct("t2", { occurredAt: daysAgo(9) });
    expect(await shop.customer()).toMatchObject({ first_attributed_sale_at: daysAgo(9) });
    await shop.consistent();
  });
});

describe("the books after a correction", () => {
  const minutesAgo = (minutes: number) => daysAgo(minutes / (24 * 60));

  it("the books after a correction are consistent if the sale was attributed by a click from slightly after the sale", async () => {
    const { sell, refer, correct, books, customer, consistent } = await openShop(own.server.url);
    await sell("t1", 5);
    await refer(anna, 5 - 2 / (24 * 60), 4);
    expect(await books()).toMatchObject({ t1: ["anna", "click", "pending", 980] });
    await correct("t1", { occurredAt: daysAgo(40) });
    expect(await books()).toMatchObject({ "t1~1": [null, "existing_customer", "void", 0] });
    expect(await customer()).toMatchObject({ first_sale_at: daysAgo(40), first_attributed_sale_at: null });
    await consistent();
  });

  it("the books after a correction are consistent if an approved sale moves to another customer and the former customer uses the sale's coupon again", async () => {
    const { sell, correct, customer, books, consistent } = await openShop(own.server.url);
    await sell("t1", 30, "CLARA5");
    await correct("t1", { amountCents: 1_900 });
    expect(await customer()).toMatchObject({ confirmed_at: expect.any(Number) });
    await correct("t1~1", { customerKey: "c2" });
    await sell("t2", 3, "CLARA5");
    expect(await books()).toMatchObject({ t2: ["clara", "coupon", "pending", 980, "chosen"] });
    expect(await customer()).toMatchObject({ confirmed_at: null });
    await consistent();
  });

  it("the books after a correction are consistent if the sale with the coupon is corrected after the customer's other sale moved to another customer", async () => {
    const { sell, correct, books, customer, consistent } = await openShop(own.server.url);
    await sell("t1", 1);
    await sell("t2", 10, "CLARA5");
    expect(await books()).toMatchObject({ t1: ["clara", "coupon", "pending", 980] });
    await correct("t1", { customerKey: "c2" });
    await correct("t2", { occurredAt: daysAgo(5) });
    expect(await customer()).toMatchObject({ source: "coupon", since: daysAgo(5) });
    await consistent();
  });

  it("the books after a correction are consistent if the sale's coupon no longer attributes another sale, but a member assigns the customer to the coupon's partner", async () => {
    const { world, sell, correct, change, books, consistent } = await openShop(own.server.url);
    const times = { t1: 50 / (24 * 60), t2: 30 / (24 * 60) };
    await sell("t1", times.t1, "BEN10");
    await sell("t2", times.t2);
    await correct("t1", { occurredAt: minutesAgo(10) });
    expect(await books()).toMatchObject({ t2: [null, "no_click", "void", 0] });
    const partnerId = world.partners[ben]?.id ?? 0;
    const since = minutesAgo(60);
    await change({ kind: "assign-customer", customerKey: "c1", partnerId, since, payPast: true, reason: "r" });
    expect(await books()).toMatchObject({ t2: ["ben", "person", "pending", 980] });
    const [counted] = await world.rows(
      "select sum(sales) as n from recent_hours where program_id = ?",
      world.programId,
    );
    expect(counted).toEqual({ n: 2 });
    await consistent();
  });

  it("the books after a correction are consistent if a sale was decided before an older sale, from more than a month earlier, became attributed", async () => {
    const policies = [{ holdDays: 15, scope: "recurring" as const, durationMonths: 1 }];
    const { world, sell, correct, books, consistent } = await openShop(own.server.url, { policies });
    await sell("t1", 39, "ANNA5");
    await sell("t2", 40, "BEN10");
    await correct("t1", { occurredAt: daysAgo(2) });
    await sell("t3", 3);
    await correct("t1~1", { occurredAt: daysAgo(40) });
    expect(await books()).toMatchObject({
      t2: ["anna", "coupon", "approved", 980, "outranked"],
      t3: ["anna", "coupon", "pending", 980],
    });
    await consistent();
    // The same commission would be wrong if it had been decided after the earlier sale became attributed.
    const { programId } = world;
    const copy = await AuditCopy.of(openDatabaseClient(own.server.url));
    const found = await copy.rolledBack(async (within) => {
      within.exec(`update ledger_entries set id = id + 1000 where commission_id = (
        select c.id from commissions c join sales s on s.id = c.sale_id
        where s.program_id = ${programId} and s.transaction_id = 't3')`);
      return auditLedger(copy.database, { programId });
    });
    copy.close();
    expect(found.map(({ broken }) => broken)).toContain(
      "commissions of sales after the months that a recurring policy covers",
    );
  });

  it("the books after a correction are consistent if the customer is attributed again to a partner whom the customer's refunded sale has left", async () => {
    const { sell, refund, correct, books, consistent } = await openShop(own.server.url);
    await sell("t1", 1, "CLARA5");
    await sell("t2", 5, "ANNA5");
    await refund("t1", "rest", { refundId: "r1" });
    await correct("t2", { customerKey: "c2" });
    await sell("t3", 40, "ANNA5");
    expect(await books()).toMatchObject({
      t1: [null, "no_click", "void", 0, "outranked"],
      t3: ["anna", "coupon", "approved", 980, "chosen"],
    });
    await consistent();
  });

  it("the books after a correction are consistent if the sale is from before the customer's assignment and is attributed by the click of a lead", async () => {
    const { world, sale, lead, click, change, correct, books, consistent } = await openShop(own.server.url);
    await lead("browser", [click(anna, 40)], "c1", { occurredAt: daysAgo(40) });
    const later = click(ben, 5);
    const sent = { clicks: [later], clickId: later.clickId, sentClickId: true };
    await sale("t1", daysAgo(20), { ...sent, customerKey: "c1", amountCents: 4_900 });
    const { id: partnerId = 0 } = world.partners[clara] ?? {};
    const assigned = { customerKey: "c1", partnerId, since: daysAgo(5) };
    await change({ kind: "assign-customer", ...assigned, payPast: true, reason: "reported by phone" });
    await correct("t1", { amountCents: 5_000 }, [later]);
    expect(await books()).toMatchObject({ "t1~1": ["anna", "click", "pending", 1_000] });
    await consistent();
  });

  it("the books after a correction are consistent if the correction leaves a refunded sale unattributed", async () => {
    const { world, sell, refund, correct, change, consistent } = await openShop(own.server.url);
    await sell("t1", 5, "BEN10");
    await sell("t2", 3);
    await refund("t2", "rest");
    await correct("t1", { customerKey: "c2" });
    const partnerId = world.partners[clara]?.id ?? 0;
    const since = daysAgo(9);
    await change({ kind: "assign-customer", customerKey: "c1", partnerId, since, payPast: true, reason: "r" });
    const [row] = await world.rows(
      `select c.explanation ->> '$.movedFrom.partnerId' as former from commissions c join sales s on s.id = c.sale_id
       where s.program_id = ? and s.transaction_id = 't2'`,
      world.programId,
    );
    expect(row).toEqual({ former: world.partners[ben]?.id });
    await consistent();
  });
});

it("the explanation of a sale with a coupon doesn't name a click from after the customer's first sale as the reason", async () => {
  const { world, sell, sale, click, refer, consistent } = await openShop(own.server.url);
  await refer(anna, 5);
  await sell("t1", 9);
  const shown = click(anna, 5);
  const clicks = { clicks: [shown], clickId: shown.clickId, sentClickId: true };
  await sale("t2", daysAgo(3), { ...clicks, amountCents: 4_900, couponCodes: ["BEN10"] });
  const [row] = await world.rows(
    `select c.reason, c.explanation ->> '$.candidates[0].outcome' as outcome from commissions c join sales s on s.id = c.sale_id
     where s.program_id = ? and s.transaction_id = 't2'`,
    world.programId,
  );
  expect(row).toEqual({ reason: "existing_customer", outcome: "after_the_event" });
  await consistent();
});
