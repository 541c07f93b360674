import { expect, it } from "vitest";
import { dateUtc, dayMs, hourMs } from "#domain/calendar.ts";
import { daysAround } from "#domain/claim.ts";
import { openClaimCount, openClaimsOfPartner } from "#store/claims.ts";
import { nearestSales } from "#store/reports/missing-sale.ts";
import { ownNearby } from "#store/reports/own-nearby.ts";
import { commissions } from "#store/schema/commissions.ts";
import { sales } from "#store/schema/sales.ts";
import type { Read } from "#store/statement.ts";
import { claimOfProgram } from "#store/views/claims.ts";
import { createWorld } from "../../harness/world.ts";
import { isWhole } from "../support/breadth.ts";
import { copiesOf } from "../support/copies.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { askRaw, type RawAnswer } from "../support/rows-read.ts";

const own = isolatedDatabase({ engine: "sqld" });

const ask = (read: Read<unknown>) => askRaw(own.server.url, read);

const base = 2 ** 47;
const spacingMs = hourMs;

/**
 * A program in which Alice has a sale every hour, and one that was recorded late. Every seventh sale earns no
 * commission.
 */
async function openShop(count: number) {
  const world = await createWorld(own.server.url, { partners: [{}, {}] });
  const [alice, bob] = world.partners;
  if (alice === undefined || bob === undefined) throw new Error("a program has two partners");
  const calls = callsOf(world, own.server.url);
  await calls.lead("key", [calls.click(alice, Date.now() - dayMs)]);
  await calls.sale("first", Date.now() - hourMs);
  const [first] = await world.rows(
    "select s.id as sale, c.id as commission, s.occurred_at as at from sales s join commissions c on c.sale_id = s.id where s.program_id = ?",
    world.programId,
  );
  const start = Math.floor(Number(first?.at) / dayMs) * dayMs - count * spacingMs;
  const sell = (partnerId: number, lateMs: number) => {
    const at = `${start + lateMs} + v * ${spacingMs}`;
    const id = `${base + (lateMs / spacingMs) * 50} + v * 100`;
    const ofBoth = { id, partner_id: String(partnerId), created_at: at };
    return world.write(
      copiesOf(sales, Number(first?.sale), count, {
        ...ofBoth,
        ...{ transaction_id: `'t${lateMs} ' || v`, operation_id: `'t${lateMs} ' || v` },
        ...{ occurred_at: at, day: `date((${at}) / 1000, 'unixepoch')` },
      }),
      copiesOf(commissions, Number(first?.commission), count, {
        ...ofBoth,
        ...{ sale_id: id, amount_cents: "0", initial_cents: "0" },
        ...{ status: "iif(v % 7 = 0, 'void', 'pending')", reason: "iif(v % 7 = 0, 'program_inactive', null)" },
      }),
    );
  };
  await sell(alice.id, 0);
  const late = { id: String(base + 10 ** 9), partner_id: String(alice.id), created_at: String(Date.now()) };
  const lateAt = start + 3 * dayMs;
  await world.write(
    copiesOf(sales, Number(first?.sale), 1, {
      ...{ ...late, transaction_id: "'late'", operation_id: "'late'" },
      ...{ occurred_at: String(lateAt), day: `'${dateUtc(lateAt)}'` },
    }),
    copiesOf(commissions, Number(first?.commission), 1, {
      ...{ ...late, sale_id: late.id, amount_cents: "0", initial_cents: "0" },
      ...{ status: "'pending'", reason: "null" },
    }),
  );
  // The copies have higher ids, so the copied row must be older.
  await world.write({ sql: "update commissions set created_at = 0 where id = ?", args: [Number(first?.commission)] });
  return { world, alice, start, sellForOthers: () => sell(bob.id, hourMs / 2), bob };
}

it("the reads for a partner's claim about a missing sale take at most 500 rows, and return only the partner's commissions from the days around the claimed sale", async () => {
  const count = isWhole ? 20_000 : 1_000;
  const { world, alice, bob, start, sellForOthers } = await openShop(count);
  const { programId } = world;
  const partner = { programId, partnerId: alice.id, timezone: "UTC" };
  const days = Array.from({ length: 8 }, (_, i) => dateUtc(start + (i * count * spacingMs) / 8 + 3 * dayMs));
  const nearby = (day: string) => ask(ownNearby(partner, daysAround(day)));
  const idsOf = ({ rows }: RawAnswer) => rows.map(([id]) => Number(id?.value));
  const before = await Promise.all(days.map(nearby));
  for (const [i, day] of days.entries()) {
    const { from, to } = daysAround(day);
    const truth = await world.rows(
      `select c.id from commissions c join sales s on s.id = c.sale_id
        where c.partner_id = ? and c.status <> 'void' and s.day between ? and ? order by c.id desc limit 50`,
      ...[alice.id, from, to],
    );
    expect(truth.length).toBe(50);
    expect(idsOf(before[i] as RawAnswer), day).toEqual(truth.map(({ id }) => Number(id)));
  }
  await sellForOthers();
  expect((await Promise.all(days.map(nearby))).map(({ rows }) => rows)).toEqual(before.map(({ rows }) => rows));

  await world.write({
    sql: `insert into claims (id, program_id, partner_id, day, status, pays_past, has_texts, created_at)
      with recursive numbers(v) as (select 1 union all select v + 1 from numbers where v < 999)
      select ${base} + v, ?, iif(v < 20, ?, ?), '2026-01-01', 'open', 0, 0, 1 from numbers`,
    args: [programId, alice.id, bob.id],
  });
  const others = await Promise.all([
    ask(openClaimCount({ programId })),
    ask(openClaimsOfPartner({ programId, partnerId: alice.id })),
    ask(claimOfProgram({ programId, id: base + 1 })),
  ]);
  const read = others.reduce((sum, { rows_read: rows }) => sum + rows, 0);
  expect(Math.max(...before.map(({ rows_read: rows }) => rows)) + read).toBeLessThan(500);

  // A member's list searches up to 200 sales for each claim.
  const around = { from: start, until: start + count * spacingMs, middle: start + (count * spacingMs) / 2 };
  const asked = { amountCents: 1, currency: "EUR", reference: "t0 1", searched: 100, limit: 5 };
  const near = await ask(nearestSales({ programId, isTest: false, ...around, ...asked }));
  expect([near.rows.length, near.rows_read]).toEqual([5, expect.toSatisfy((rows: number) => rows < 1_500)]);
  const searchedOnSide = ({ rows }: RawAnswer) => Number(rows[0]?.at(-1)?.value);
  const few = { ...around, until: start + 60 * spacingMs, middle: start + 30 * spacingMs };
  const ofFew = await ask(nearestSales({ programId, isTest: false, ...few, ...asked }));
  expect([near, ofFew].map(searchedOnSide)).toEqual([100, 60]);
});
