import { and, desc, eq, gte, isNull, lte, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Book } from "#domain/book.ts";
import type { ProgramId } from "#domain/ids.ts";
import { type Database, readOne } from "../database.ts";
import { isSynthetic } from "../partners.ts";
import { sales } from "../schema/sales.ts";
import { type Compiler, given, type RowOf, readAll, unencoded } from "../statement.ts";

const newest = alias(sales, "newest");

/** A replaced sale is always fully refunded. Comparing the amounts first avoids the lookup for most sales. */
const isNewest = sql`${newest.id} = iif(${sales.refundedCents} = ${sales.amountCents}, (
  select n.id from ${sales} n where n.corrected_sale_id = coalesce(${sales.correctedSaleId}, ${sales.id})
  order by n.correction desc limit 1
), null)`;

/** The sale with its own id, and the figures of its newest version. */
const columns = {
  id: sales.id,
  transactionId: sales.transactionId,
  listedAt: sql<number>`${sales.occurredAt}`.as("listed_at"),
  amountCents: sql<number>`coalesce(${newest.amountCents}, ${sales.amountCents})`,
  currency: sql<string>`coalesce(${newest.currency}, ${sales.currency})`,
  refundedCents: sql<number>`coalesce(${newest.refundedCents}, ${sales.refundedCents})`,
  occurredAt: sql<number>`coalesce(${newest.occurredAt}, ${sales.occurredAt})`,
  partnerCode: sql<string | null>`iif(${newest.id} is null, ${sales.partnerCode}, ${newest.partnerCode})`,
};

const isOfBook = and(
  eq(sales.programId, given("programId")),
  eq(sales.isTest, unencoded("isTest")),
  sql`not (${sales.isTest} and coalesce(${isSynthetic(sales.partnerId)}, 0))`,
);

const selectListed = (db: Compiler) =>
  db
    .select(columns)
    .from(sales)
    .leftJoin(newest, isNewest)
    .where(
      and(
        isOfBook,
        isNull(sales.correctedSaleId),
        gte(sales.occurredAt, given("from")),
        lte(sales.occurredAt, given("boundAt")),
        sql`(${sales.occurredAt} < ${given("boundAt")} or ${sales.id} < ${given("boundId")})`,
      ),
    )
    .orderBy(desc(sales.occurredAt), desc(sales.id))
    .limit(given("limit"));
export type RecordedSaleView = RowOf<typeof selectListed>;

type OfBook = { programId: ProgramId; isTest: boolean };

const listed = readAll<OfBook & { from: number; boundAt: number; boundId: number; limit: number }, RecordedSaleView>(
  selectListed,
);

export interface SalePosition {
  readonly at: number;
  readonly id: number;
}

interface Listing {
  /** In milliseconds. `to` is exclusive. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly after: SalePosition | undefined;
  readonly limit: number;
}

const beyond = Number.MAX_SAFE_INTEGER;

/** Lists sales, newest first, under the ids with which they were first reported. */
export async function listRecordedSales(
  database: Database,
  book: Book,
  { from = 0, to = beyond, after, limit }: Listing,
): Promise<readonly RecordedSaleView[]> {
  const { at: boundAt, id: boundId } = after !== undefined && after.at < to ? after : { at: to - 1, id: beyond };
  return await readOne(database, listed({ ...book, from, boundAt, boundId, limit }));
}

export const positionOf = ({ listedAt, id }: RecordedSaleView): SalePosition => ({ at: listedAt, id });

const found = readAll<OfBook & { transactionIds: string }, RecordedSaleView>((db) =>
  db
    .select(columns)
    .from(sales)
    .leftJoin(newest, isNewest)
    .where(and(isOfBook, sql`${sales.transactionId} in (select value from json_each(${given("transactionIds")}))`)),
);

/** Finds sales by the transaction id of any version. */
export async function findRecordedSales(
  database: Database,
  book: Book,
  transactionIds: readonly string[],
): Promise<readonly RecordedSaleView[]> {
  return await readOne(database, found({ ...book, transactionIds: JSON.stringify(transactionIds) }));
}
