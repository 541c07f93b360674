import { sql } from "drizzle-orm";
import type { Book } from "../../domain/book.ts";
import { type Days, spanAround } from "../../domain/performance.ts";
import { type Database, readBatch } from "../database.ts";
import { commissions } from "../schema/commissions.ts";
import { param, readAll } from "../statement.ts";
import { partnerById } from "../views/partners.ts";
import { readinessFacts, readinessReads } from "./readiness.ts";
import { type TopRow, topLists } from "./top-lists.ts";

type StandingQuery = { programId: number; isTest: boolean; partnerId: number | null };
type Cents = "pendingCents" | "approvedCents" | "paidCents";

export type Standing = { readonly currency: string; readonly unconfirmed: number } & Readonly<Record<Cents, bigint>>;

/** As text: the client refuses an answer with an integer above 2^53. */
const centsWith = (status: "pending" | "approved" | "paid") =>
  sql`cast(sum(iif(${commissions.status} = ${sql.raw(`'${status}'`)}, ${commissions.amountCents}, 0)) as text)`.mapWith(
    BigInt,
  );

const standings = readAll<StandingQuery, Standing>((db) =>
  db
    .select({
      currency: commissions.currency,
      unconfirmed: sql<number>`sum(${commissions.status} = 'pending' and ${commissions.isUnconfirmed})`,
      pendingCents: centsWith("pending"),
      approvedCents: centsWith("approved"),
      paidCents: centsWith("paid"),
    })
    .from(commissions)
    .where(
      sql`${commissions.programId} = ${param("programId")} and ${commissions.isTest} = ${param("isTest")}
        and ${commissions.status} in ('pending', 'approved', 'paid')
        and (${param("partnerId")} is null or ${commissions.partnerId} = ${param("partnerId")})`,
    )
    .groupBy(commissions.currency)
    .orderBy(commissions.currency),
);

export interface OverviewQuery {
  readonly days: Days;
  readonly partnerId: number | undefined;
  /** Milliseconds. */
  readonly at: number;
}

/** One request. Undefined if there is no such program. */
export async function readOverview(
  database: Database,
  { programId, isTest }: Book,
  { days, partnerId, at }: OverviewQuery,
) {
  const query = { programId, isTest, partnerId: partnerId ?? null };
  const {
    top,
    standing,
    partner = null,
    ...ready
  } = await readBatch(database, {
    ...readinessReads(programId, at),
    standing: standings(query),
    partner: partnerById({ programId, id: partnerId ?? 0 }),
    top: topLists({ ...query, ...days, ...spanAround(days) }),
  });
  const facts = readinessFacts(ready, programId, at);
  return facts && { facts, standing, partner, ...topOf(top) };
}

function topOf(rows: readonly TopRow[]) {
  const listOf = (name: TopRow["dimension"]) => rows.filter(({ dimension }) => dimension === name);
  const [counted = { clicks: 0, sales: 0 }] = listOf("counted");
  return { listOf, counted };
}
