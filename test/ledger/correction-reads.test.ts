import { describe, expect, it } from "vitest";
import { idsPerRange } from "#domain/shard.ts";
import type { SaleCorrection } from "#operations/manage/correction.ts";
import { commissions, ledgerEntries } from "#store/schema/commissions.ts";
import { refunds } from "#store/schema/refunds.ts";
import { sales } from "#store/schema/sales.ts";
import { findCorrectableSale } from "#store/views/correctable-sale.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld } from "../../harness/world.ts";
import { copiesOf } from "../support/copies.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { anna, clara, openShop } from "./coupons-shop.ts";

// Each call reads the same number of rows with ten times as much stored data.

const own = isolatedDatabase({ engine: "sqld" });
const few = 200;
const many = 10 * few;

/** Returns the number of rows that the database scanned. */
async function lookedAt(act: () => Promise<unknown>): Promise<number> {
  own.proxy.resetCounts();
  await act();
  return own.proxy.counts.rows;
}

let program = idsPerRange / 2;
/** Assigns rising ids to programs. Otherwise a search without a result would read a row of the next program. */
const settings = () => {
  program += 1;
  return { programId: program };
};

/** Greater than the ids of the service and than the ids of earlier calls. */
let base = 2 ** 48;

type Shop = Awaited<ReturnType<typeof openShop>>;

/** Inserts copies of a sale at intervals of one second. */
async function fill(
  { world }: Shop,
  transactionId: string,
  count: number,
  changes: Readonly<Record<string, string>> = {},
): Promise<void> {
  const [found] = await world.rows(
    `select s.id, c.id as commission, e.id as entry, r.id as refund from sales s join commissions c on c.sale_id = s.id
     left join ledger_entries e on e.commission_id = c.id and e.kind = 'earned' left join refunds r on r.sale_id = s.id
     where s.program_id = ? and s.transaction_id = ?`,
    ...[world.programId, transactionId],
  );
  base += 1_000_000;
  const ids = { id: `${base} + v`, occurred_at: "occurred_at + v * 1000" };
  const refund =
    found?.refund == null ? [] : [copiesOf(refunds, Number(found.refund), count, { ...ids, sale_id: ids.id })];
  await world.write(
    copiesOf(sales, Number(found?.id), count, { ...ids, transaction_id: "'f' || v", coupons: "null", ...changes }),
    copiesOf(commissions, Number(found?.commission), count, { id: ids.id, sale_id: ids.id, amount_cents: "0" }),
    ...(found?.entry == null
      ? []
      : [copiesOf(ledgerEntries, Number(found.entry), count, { ...ids, commission_id: ids.id })]),
    ...refund,
  );
}

async function attemptOn(shop: Shop, transactionId: string, changes: SaleCorrection, isDryRun: boolean) {
  const { world, attempt } = shop;
  const { programId } = world;
  const sale = "select id from sales where program_id = ? and transaction_id = ?";
  const [row] = await world.rows(sale, programId, transactionId);
  const found = await findCorrectableSale(databaseAt(own.server.url), programId, Number(row?.id));
  return () => attempt({ ...found, kind: "correct-sale", clicks: [], changes, reason: "wrong", isDryRun });
}

describe("a correction of a customer with many sales", () => {
  const cases: readonly [string, (shop: Shop) => Promise<unknown>, SaleCorrection][] = [
    ["attributed by a click", (shop) => shop.refer(anna, 9), { amountCents: 5_000 }],
    ["attributed by a click, to another time", (shop) => shop.refer(anna, 9), { occurredAt: daysAgo(4) }],
    ["attributed by a click, to another customer", (shop) => shop.refer(anna, 9), { customerKey: "c2" }],
    ["without a partner", async () => {}, { occurredAt: daysAgo(4) }],
  ];
  it.each(cases)("a correction of a sale %s reads few rows", async (_who, refer, changes) => {
    const counts = [];
    for (const count of [few, many]) {
      const shop = await openShop(own.proxy.url, settings());
      await refer(shop);
      await shop.sell("t1", 5);
      const [entry] = await shop.world.rows("select 1 from ledger_entries where program_id = ?", shop.world.programId);
      if (entry !== undefined) await fill(shop, "t1", count);
      else for (let i = 0; i < (count === few ? 3 : 30); i += 1) await shop.sell(`o${i}`, 3 + i / 100);
      for (const isDryRun of [true, false]) {
        const correct = await attemptOn(shop, "t1", changes, isDryRun);
        const rows = await lookedAt(async () => expect(await correct()).toMatchObject({ ok: true }));
        counts.push(rows);
      }
    }
    const [dry = 0, wet = 0, dryOfMany = 0, wetOfMany = 0] = counts;
    expect(Math.max(...counts)).toBeLessThan(1_000);
    expect(dryOfMany).toBeLessThanOrEqual(dry + 40);
    expect(wetOfMany).toBeLessThanOrEqual(wet + 40);
  });

  it.each([
    ["another amount", { amountCents: 5_000 }, []],
    ["another customer", { customerKey: "c2" }, []],
    ["another customer, and the other sales keep the partner", { customerKey: "c2" }, ["BEN10"]],
    ["another customer, and the other sales move to another partner", { customerKey: "c2" }, ["CLARA5"]],
  ])("a correction of a sale whose coupon attributed the customer reads few rows: to %s", async (_, changes, codes) => {
    const counts = [];
    for (const count of [few, many]) {
      const shop = await openShop(own.proxy.url, settings());
      await shop.sell("t1", 5, "BEN10");
      for (const code of codes) await shop.sell("t2", 4.5, code);
      await shop.sell("t3", 4);
      await shop.refund("t3", "amount", { cents: 100, refundId: "r1" });
      await fill(shop, "t3", count);
      for (const isDryRun of [true, false]) {
        const correct = await attemptOn(shop, "t1", changes, isDryRun);
        counts.push(await lookedAt(async () => expect(await correct()).toMatchObject({ ok: true })));
      }
    }
    const [dry = 0, wet = 0, dryOfMany = 0, wetOfMany = 0] = counts;
    expect(Math.max(...counts)).toBeLessThan(1_000);
    expect(dryOfMany).toBeLessThanOrEqual(dry + 40);
    // Allows for every sixteenth event of a program, whose commit reads 32 earlier events.
    expect(wetOfMany).toBeLessThanOrEqual(wet + 200);
  });
});

it("a sale reads few of the customer's many renewals that have yet to move to the customer's new partner", async () => {
  const counts = [];
  for (const count of [many, 4 * many]) {
    const shop = await openShop(own.proxy.url, settings());
    const { world } = shop;
    await shop.sell("t1", 9);
    await fill(shop, "t1", count, { is_recurring: "1" });
    await shop.refer(anna, 12, 1);
    expect(await shop.pending()).toBe(1);
    counts.push(await lookedAt(() => shop.sell("t2", 0)));
    expect(
      await world.rows(
        "select partner_id is not null as is_attributed from sales where transaction_id = 't2' and program_id = ?",
        world.programId,
      ),
    ).toEqual([{ is_attributed: 1 }]);
  }
  const [rows = 0, ofMany = 0] = counts;
  expect(rows).toBeLessThan(3_500);
  expect(ofMany).toBeLessThanOrEqual(rows + 40);
});

it("a hold, a release and a correction read few rows if the commission was held many times", async () => {
  const counts = [];
  for (const count of [few, many]) {
    const shop = await openShop(own.proxy.url, settings());
    await shop.refer(anna, 9);
    const { commissionId } = await shop.sell("t1", 5);
    const review = (action: "hold" | "release") =>
      shop.change({
        kind: "review-commissions",
        commissionIds: [commissionId],
        review: action === "hold" ? { action, reason: "r", partnerNote: null } : ({ action, note: null } as const),
      });
    await review("hold");
    await review("release");
    await shop.world.write({
      sql: `insert into commission_signals with recursive numbers(v) as (select 1 union all select v + 1 from numbers where v < ?)
        select commission_id, program_id, is_test, code, effect, evidence, note_id, partner_id, raised_at - v, review_until,
          ended_at, ended_by from commission_signals, numbers where commission_id = ?`,
      args: [count, commissionId],
    });
    counts.push(await lookedAt(() => review("hold")), await lookedAt(() => review("release")));
    const correct = await attemptOn(shop, "t1", { amountCents: 5_000 }, false);
    counts.push(await lookedAt(async () => expect(await correct()).toMatchObject({ ok: true })));
    const copied = await shop.world.rows(
      "select count(*) as n from commission_signals where program_id = ? and commission_id <> ?",
      ...[shop.world.programId, commissionId],
    );
    expect(copied).toEqual([{ n: 1 }]);
  }
  const [hold = 0, release = 0, correction = 0, ...ofMany] = counts;
  expect(Math.max(...counts)).toBeLessThan(300);
  for (const [i, rows] of [hold, release, correction].entries()) expect(ofMany[i]).toBeLessThanOrEqual(rows + 5);
});

describe("a sale of a partner who has changed groups many times", () => {
  it.each([
    ["now", 0, 3_000],
    ["before the stored group changes", 30, 4_000],
  ])("a sale of a partner who often changed groups reads few rows if it happened %s", async (_when, days, rateBps) => {
    const counts = [];
    for (const count of [few, 4 * few]) {
      const world = await createWorld(own.proxy.url, {
        ...settings(),
        groups: [
          { name: "gold", policies: [{ rateBps: 3_000 }] },
          { name: "silver", policies: [{ rateBps: 4_000 }] },
        ],
        partners: [{ group: 0 }],
      });
      const [gold, silver] = world.groups;
      await world.change({
        sql: `insert into group_memberships with recursive numbers(v) as (select 1 union all select v + 1 from numbers where v < ?)
          select ?, ?, iif(v = 1, ?, ?), iif(v = 1, 1, ? + v), 'change ' || v from numbers`,
        args: [count, world.programId, world.partner.id, silver?.id ?? 0, gold?.id ?? 0, daysAgo(20)],
      });
      const calls = callsOf(world, own.proxy.url);
      await calls.lead("key", [calls.click(world.partner, daysAgo(40))], "c1", { occurredAt: daysAgo(40) });
      counts.push(await lookedAt(() => calls.sale("t1", daysAgo(days))));
      expect(calls.ledger.faults).toEqual([]);
      const [row] = await world.rows(
        "select amount_cents as cents from commissions where program_id = ?",
        world.programId,
      );
      expect(row).toEqual({ cents: rateBps / 10 });
    }
    const [rows = 0, ofMany = 0] = counts;
    expect(rows).toBeLessThan(300);
    expect(ofMany).toBe(rows);
  });
});

it("the first call of an export of a customer's data reads a limited number of the customer's sales", async () => {
  const counts = [];
  for (const count of [many, 4 * many]) {
    const shop = await openShop(own.proxy.url, settings());
    await shop.refer(anna, 9);
    await shop.sell("t1", 5);
    await fill(shop, "t1", count);
    const asked = { keys: ["c1"], emailHash: null, clickId: null, digests: "[]" };
    const exported = () => shop.attempt({ kind: "export-person", ...asked });
    counts.push(await lookedAt(async () => expect(await exported()).toMatchObject({ answer: { isLarge: true } })));
  }
  const [rows = 0, ofMany = 0] = counts;
  expect(ofMany).toBeLessThanOrEqual(rows + 5);
});

describe("a sale of a partner whom its customer with many sales has left", () => {
  const lose = ({ world, change }: Shop) => {
    const to = { customerKey: "c1", partnerId: world.partners[clara]?.id, since: null, payPast: true, reason: "r" };
    return change({ kind: "assign-customer", ...to } as Parameters<typeof change>[0]);
  };

  it("a correction of a sale of a partner whom the customer has left doesn't search the customer's many older sales that were reported later", async () => {
    const counts = [];
    for (const count of [many, 4 * many]) {
      const shop = await openShop(own.proxy.url, settings());
      const partner = shop.world.partners[anna]?.id ?? 0;
      await shop.lead("browser", [shop.click(anna, 21)], "c1", { occurredAt: daysAgo(21) });
      await shop.sell("t1", 11);
      await shop.sell("t2", 10);
      await shop.sell("t0", 30);
      await fill(shop, "t0", count);
      await lose(shop);
      const correct = await attemptOn(shop, "t2", { amountCents: 5_000 }, false);
      counts.push(await lookedAt(async () => expect(await correct()).toMatchObject({ ok: true })));
      const [corrected] = await shop.world.rows(
        `select c.partner_id as partner, c.explanation ->> '$.past.firstAttributedSaleAt' as first from commissions c
         join sales s on s.id = c.sale_id where s.program_id = ? and s.correction = 1`,
        shop.world.programId,
      );
      expect(corrected).toEqual({ partner, first: daysAgo(11) });
    }
    const [rows = 0, ofMany = 0] = counts;
    expect(rows).toBeLessThan(1_000);
    expect(ofMany).toBeLessThanOrEqual(rows + 5);
  });

  it.each([
    [
      "a canceled refund",
      2_200,
      async (shop: Shop) => {
        await shop.refund("t1", "rest", { refundId: "r1" });
        await lose(shop);
        return async () =>
          expect(await shop.refund("t1", "cancel", { refundId: "r1" })).toMatchObject({ reason: "one_time_used" });
      },
    ],
    [
      "a correction",
      1_000,
      async (shop: Shop) => {
        await lose(shop);
        const correct = await attemptOn(shop, "t1", { amountCents: 5_000 }, false);
        return async () => expect(await correct()).toMatchObject({ ok: true });
      },
    ],
  ])("to look for a one_time commission, %s reads few of a customer's many sales", async (_what, limit, prepare) => {
    const counts = [];
    for (const count of [many, 4 * many]) {
      const shop = await openShop(own.proxy.url, { ...settings(), policies: [{ scope: "one_time" }] });
      await shop.sell("t1", 12, "ANNA5");
      await shop.sell("t2", 11);
      await fill(shop, "t2", count);
      counts.push(await lookedAt(await prepare(shop)));
    }
    const [rows = 0, ofMany = 0] = counts;
    expect(rows).toBeLessThan(limit);
    expect(ofMany).toBeLessThanOrEqual(rows + 5);
  });
});
