import { eq, type SQL, sql } from "drizzle-orm";
import type { ProgramId } from "#domain/ids.ts";
import { isReplaced, newestIdOf } from "../sales.ts";
import { commissions } from "../schema/commissions.ts";
import { customers } from "../schema/customers.ts";
import { partners } from "../schema/partners.ts";
import { sales } from "../schema/sales.ts";
import { type Compiler, given, type RowOf, readAll, unencoded } from "../statement.ts";

const isOfBook = sql`s.program_id = ${given("programId")} and s.is_test = ${unencoded("isTest")}`;

/**
 * `side` is the side of `middle` on which a sale is, so that the searched sales are counted separately for each side.
 */
const inDays = (within: SQL, order: "asc" | "desc") => sql`select id, ${sql.raw(`'${order}'`)} as side from (
  select s.id from sales s where ${isOfBook} and ${within}
  order by s.occurred_at ${sql.raw(order)} limit ${unencoded("searched")})`;

/** The newest version of the sale that has, or had before a correction, the reference as its transaction id. */
const referredId = newestIdOf({
  programId: sql`${given("programId")}`,
  isTest: sql`${unencoded("isTest")}`,
  transactionId: sql`${given("reference")}`,
});

/** The sales closest in time to the middle of the days, and the sale that the reference names. */
const searchedIds = sql`
  ${inDays(sql`s.occurred_at >= ${given("from")} and s.occurred_at < ${given("middle")}`, "desc")}
  union all ${inDays(sql`s.occurred_at >= ${given("middle")} and s.occurred_at < ${given("until")}`, "asc")}
  union all select s.id, 'referred' from sales s where s.id = ${referredId}`;

const apart = (s: SQL) => sql<number | null>`abs(${s}.amount_cents - ${given("amountCents")})`;

const closestFirst = (s: SQL): SQL => sql`
  ${s}.id is ${referredId} desc, ${given("currency")} is not null and ${s}.currency <> ${given("currency")},
  ${apart(s)}, abs(${s}.occurred_at - ${given("middle")}), ${s}.id`;

/** Sorts the sales before joining other tables, so that the other tables are read only for the closest sales. */
const closest = sql`(
  with found(id, side) as materialized (${searchedIds})
  select s.id, (select max(count) from (select count(*) as count from found group by side)) as searched from sales s
  where s.id in (select id from found) and not ${isReplaced}
  order by ${closestFirst(sql.raw("s"))} limit ${given("limit")})`;

const selectNearest = (db: Compiler) =>
  db
    .select({
      id: sales.id,
      transactionId: sql<string>`iif(${sales.id} is ${referredId}, ${given("reference")}, ${sales.transactionId})`.as(
        "transaction_id",
      ),
      amountCents: sales.amountCents,
      currency: sales.currency,
      occurredAt: sales.occurredAt,
      day: sales.day,
      partnerId: sales.partnerId,
      partnerName: partners.name,
      partnerCode: sales.partnerCode,
      isConfirmed: sql<boolean>`${sales.customerId} is null or ${customers.confirmedAt} is not null`
        .mapWith(Boolean)
        .as("is_confirmed"),
      status: commissions.status,
      commissionCents: commissions.amountCents,
      clickAgeDays: sales.clickAgeDays,
      windowDays: sales.windowDays,
      reason: sql<string | null>`coalesce(${sales.reason}, ${commissions.reason})`,
      amountApartCents: apart(sql.raw("sales")).as("amount_apart"),
      /** How many sales were searched before `middle` or from `middle` on, whichever is more. */
      searched: sql<number>`closest.searched`.as("searched"),
    })
    .from(sql`${closest} closest`)
    .innerJoin(sales, sql`${sales.id} = closest.id`)
    .innerJoin(commissions, eq(commissions.saleId, sales.id))
    .leftJoin(partners, eq(partners.id, sales.partnerId))
    .leftJoin(customers, eq(customers.id, sales.customerId))
    .orderBy(closestFirst(sql.raw("sales")));
export type NearbySale = RowOf<typeof selectNearest>;

export type Around = {
  /** `from` (inclusive), `until` (exclusive) and `middle` are instants (ms). */
  readonly from: number;
  readonly until: number;
  readonly middle: number;
  readonly amountCents: number | null;
  readonly currency: string | null;
  /** An id that the partner gave. The sale with this transaction id comes first, whatever its day. */
  readonly reference: string | null;
  /** The most sales that are searched on each side of `middle`. */
  readonly searched: number;
  readonly limit: number;
};

/**
 * Reads the sale that the reference names, then sales in the given currency, then sales in other currencies. The sales
 * of each group are sorted by difference in amount, then by distance in time. Leaves out sales that a correction
 * replaced.
 */
export const nearestSales = readAll<{ programId: ProgramId; isTest: boolean } & Around, NearbySale>(selectNearest);
