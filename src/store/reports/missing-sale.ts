import { asc, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Book } from "#domain/book.ts";
import type { ProgramId } from "#domain/ids.ts";
import { type Database, readOne } from "../database.ts";
import { commissions } from "../schema/commissions.ts";
import { partners } from "../schema/partners.ts";
import { sales } from "../schema/sales.ts";
import { type Compiler, given, type RowOf, readAll, unencoded } from "../statement.ts";

const isOfBook = sql`s.program_id = ${given("programId")} and s.is_test = ${unencoded("isTest")}`;

const inDays = (within: SQL, order: "asc" | "desc") => sql`select * from (
  select s.id from sales s where ${isOfBook} and ${within}
  order by s.occurred_at ${sql.raw(order)} limit ${unencoded("searched")})`;

/** The sales closest in time to the middle of the days, and the one with the reference as its transaction id. */
const searchedIds = sql`(
  ${inDays(sql`s.occurred_at >= ${given("from")} and s.occurred_at < ${given("middle")}`, "desc")}
  union all ${inDays(sql`s.occurred_at >= ${given("middle")} and s.occurred_at < ${given("until")}`, "asc")}
  union select s.id from sales s where ${isOfBook} and s.transaction_id = ${given("reference")})`;

const apart = sql<number | null>`abs(${sales.amountCents} - ${given("amountCents")})`;
const isReferenced = sql`(${sales.transactionId} is ${given("reference")})`;
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
      searched: sql<number>`count(*) over ()`,
    })
    .from(sales)
    .innerJoin(commissions, eq(commissions.saleId, sales.id))
    .leftJoin(partners, eq(partners.id, sales.partnerId))
    .where(sql`${sales.id} in ${searchedIds}`)
    .orderBy(
      desc(isReferenced),
      asc(isOtherCurrency),
      asc(apart),
      asc(sql`abs(${sales.occurredAt} - ${given("middle")})`),
      asc(sales.id),
    )
    .limit(given("limit"));
export type NearbySale = RowOf<typeof selectNearest>;

export type Around = {
  /** `from` (inclusive), `until` (exclusive) and `middle` are instants (ms). */
  readonly from: number;
  readonly until: number;
  readonly middle: number;
  readonly amountCents: number | null;
  readonly currency: string | null;
  /** An id that the partner gave. A sale with this transaction id comes first, whatever its day. */
  readonly reference: string | null;
  /** The most sales that are searched on each side of `middle`. */
  readonly searched: number;
  readonly limit: number;
};

/** Reads sales sorted by difference in amount, then by distance in time. */
export const nearestSales = readAll<{ programId: ProgramId; isTest: boolean } & Around, NearbySale>(selectNearest);

export async function salesAround(database: Database, book: Book, around: Around): Promise<readonly NearbySale[]> {
  return await readOne(database, nearestSales({ ...book, ...around }));
}
