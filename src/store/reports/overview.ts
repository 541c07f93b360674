import { type SQL, sql } from "drizzle-orm";
import type { Book } from "#domain/book.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { type Days, spanAround } from "#domain/performance.ts";
import { type Database, readBatch } from "../database.ts";
import { isHolding, isLinePaid } from "../payout-ranges.ts";
import { readAll, unencoded } from "../statement.ts";
import { partnerById } from "../views/partners.ts";
import { clickPace } from "./click-pace.ts";
import { readinessFacts, readinessReads } from "./readiness.ts";
import { type TopRow, topLists } from "./top-lists.ts";

type StandingQuery = { programId: ProgramId; isTest: boolean; partnerId: PartnerId | null };
type Cents = "pendingCents" | "approvedCents" | "paidCents";

export type Standing = { readonly currency: string; readonly unconfirmed: number } & Readonly<Record<Cents, bigint>>;

/** Selected as text, because the libSQL client rejects integers above 2^53. */
const centsOf = (amount: SQL) => sql`cast(sum(${amount}) as text)`.mapWith(BigInt);

/**
 * Finds paid commissions by the ranges of payout lines, because checking up to a million approved commissions one by
 * one would take longer than all other reads.
 */
const standingCommissions = sql`(
  select c.currency, c.status, c.is_unconfirmed, 0 as paid, c.amount_cents as cents from commissions c
  where c.program_id = ${unencoded("programId")} and c.is_test = ${unencoded("isTest")} and c.status in ('pending', 'approved')
    and (${unencoded("partnerId")} is null or c.partner_id = ${unencoded("partnerId")})
  union all
  select c.currency, c.status, 0, 1, c.amount_cents
  from payouts p cross join payout_ranges r on r.payout_id = p.id cross join commissions c on ${isHolding("c")}
  where p.program_id = ${unencoded("programId")} and (p.status = 'paid' or (p.status = 'final' and p.settled_by = 'api'))
    and ${isLinePaid("r.partner_id")} and ${unencoded("isTest")} = 0
    and (${unencoded("partnerId")} is null or r.partner_id = ${unencoded("partnerId")})
) standing`;

const standings = readAll<StandingQuery, Standing>((db) =>
  db
    .select({
      currency: sql<string>`standing.currency`,
      unconfirmed: sql<number>`sum(standing.status = 'pending' and standing.is_unconfirmed)`,
      pendingCents: centsOf(sql`iif(standing.status = 'pending', standing.cents, 0)`),
      approvedCents: centsOf(
        sql`iif(standing.status = 'approved', iif(standing.paid, -standing.cents, standing.cents), 0)`,
      ),
      paidCents: centsOf(sql`iif(standing.paid, standing.cents, 0)`),
    })
    .from(standingCommissions)
    .groupBy(sql`standing.currency`)
    .orderBy(sql`standing.currency`),
);

export interface OverviewQuery {
  readonly days: Days;
  readonly partnerId: PartnerId | undefined;
  /** Now (ms). */
  readonly at: number;
}

/** Returns undefined if the program doesn't exist. Makes one database request. */
export async function readOverview(
  database: Database,
  { programId, isTest }: Book,
  { days, partnerId, at }: OverviewQuery,
) {
  const query = { programId, isTest, partnerId: partnerId ?? null };
  const {
    top,
    standing,
    pace = { activeDays: 0, firstDay: null, lastDay: null },
    partner = null,
    ...ready
  } = await readBatch(database, {
    ...readinessReads(programId, at),
    standing: standings(query),
    pace: clickPace({ programId }),
    partner: partnerById({ programId, id: partnerId ?? 0 }),
    top: topLists({ ...query, ...days, ...spanAround(days) }),
  });
  const facts = readinessFacts(ready, programId, at);
  return facts && { facts, standing, pace, partner, ...topOf(top) };
}

function topOf(rows: readonly TopRow[]) {
  const listOf = (name: TopRow["dimension"]) => rows.filter(({ dimension }) => dimension === name);
  const [counted = { clicks: 0, sales: 0 }] = listOf("counted");
  return { listOf, counted };
}
