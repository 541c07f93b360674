import { and, asc, eq, gte, lt, sql } from "drizzle-orm";
import type { Book } from "#domain/book.ts";
import type { ProgramId } from "#domain/ids.ts";
import { type Database, readOne } from "../database.ts";
import { commissions } from "../schema/commissions.ts";
import { partners } from "../schema/partners.ts";
import { sales } from "../schema/sales.ts";
import { type Compiler, given, type RowOf, readAll, unencoded } from "../statement.ts";

/** The search covers at most this many sales: the newest of the requested days. */
export const maxSearched = 20_000;

const inDays = (db: Compiler) =>
  db
    .select({ id: sales.id })
    .from(sales)
    .where(
      and(
        eq(sales.programId, given("programId")),
        eq(sales.isTest, unencoded("isTest")),
        gte(sales.occurredAt, given("from")),
        lt(sales.occurredAt, given("until")),
      ),
    )
    .orderBy(sql`${sales.occurredAt} desc`)
    .limit(maxSearched);

const apart = sql<number | null>`abs(${sales.amountCents} - ${given("amountCents")})`;
const isOtherCurrency = sql`(${given("currency")} is not null and ${sales.currency} <> ${given("currency")})`;

const selectNearest = (db: Compiler) =>
  db
    .select({
      id: sales.id,
      transactionId: sales.transactionId,
      amountCents: sales.amountCents,
      currency: sales.currency,
      occurredAt: sales.occurredAt,
      day: sales.day,
      partnerId: sales.partnerId,
      partnerName: partners.name,
      partnerCode: sales.partnerCode,
      status: commissions.status,
      commissionCents: commissions.amountCents,
      clickAgeDays: sales.clickAgeDays,
      windowDays: sales.windowDays,
      reason: sql<string | null>`coalesce(${sales.reason}, ${commissions.reason})`,
      amountApartCents: apart.as("amount_apart"),
    })
    .from(sales)
    .innerJoin(commissions, eq(commissions.saleId, sales.id))
    .leftJoin(partners, eq(partners.id, sales.partnerId))
    .where(sql`${sales.id} in (${inDays(db)})`)
    .orderBy(asc(isOtherCurrency), asc(apart), asc(sql`abs(${sales.occurredAt} - ${given("middle")})`), asc(sales.id))
    .limit(given("limit"));
export type NearbySale = RowOf<typeof selectNearest>;

type Around = {
  /** `from` (inclusive), `until` (exclusive) and `middle` are instants (ms). */
  readonly from: number;
  readonly until: number;
  readonly middle: number;
  readonly amountCents: number | null;
  readonly currency: string | null;
  readonly limit: number;
};

const nearest = readAll<{ programId: ProgramId; isTest: boolean } & Around, NearbySale>(selectNearest);

/** Returns sales sorted by difference in amount, then by distance in time. */
export async function salesAround(database: Database, book: Book, around: Around): Promise<readonly NearbySale[]> {
  return await readOne(database, nearest({ ...book, ...around }));
}
