import { type SQL, sql } from "drizzle-orm";
import type { Book } from "../../domain/book.ts";
import { type CommissionStatus, commissionStatuses } from "../../domain/commission-status.ts";
import { type Days, spanAround } from "../../domain/performance.ts";
import { type Database, readBatch } from "../database.ts";
import { byFilters, type EventFilter, filtersOf, type Narrowing, saleIdsOf } from "../reports/narrowing.ts";
import { commissions } from "../schema/commissions.ts";
import { param, readAll } from "../statement.ts";
import { type CommissionView, selectCommissions } from "./commissions.ts";

export const commissionSorts = ["created", "date", "amount"] as const;
export type CommissionSort = (typeof commissionSorts)[number];
export const commissionOrders = ["desc", "asc"] as const;
export type CommissionOrder = (typeof commissionOrders)[number];

export interface CommissionFilter {
  /** Absent: all but `void`. */
  readonly status: CommissionStatus | undefined;
  readonly partnerId: number | undefined;
  readonly currency: string | undefined;
  readonly reason: string | undefined;
  /** Days of the sales. */
  readonly days: Days | undefined;
  readonly narrowing: Narrowing;
}

/** The last row of a page: its amount for `amount`, the sale's instant for `date`. */
export interface CommissionPosition {
  readonly currency: string;
  readonly value: number;
  readonly id: number;
}

export function positionOf(sort: CommissionSort, row: CommissionView): CommissionPosition {
  const { currency, amountCents, soldAt, saleId, id } = row;
  if (sort === "amount") return { currency, value: amountCents, id };
  return sort === "date" ? { currency: "", value: soldAt, id: saleId } : { currency: "", value: 0, id };
}

const beyond = Number.MAX_SAFE_INTEGER;

const startOf = (order: CommissionOrder): CommissionPosition =>
  order === "desc" ? { currency: "", value: beyond, id: beyond } : { currency: "", value: -1, id: 0 };

const given = sql.placeholder;

type Scope = {
  programId: number;
  isTest: boolean;
  partnerId: number | null;
  from: string | null;
  to: string | null;
  since: number;
  until: number;
};
type Page = Scope & {
  currency: string | null;
  reason: string | null;
  afterCurrency: string;
  afterValue: number;
  afterId: number;
  limit: number;
} & Narrowing;

const inBook = (table: "c" | "s") =>
  sql`${sql.raw(table)}.program_id = ${given("programId")} and ${sql.raw(table)}.is_test = ${param("isTest")}`;

const withStatus = (statuses: readonly CommissionStatus[]): SQL =>
  sql.raw(`c.status in (${statuses.map((status) => `'${status}'`).join(", ")})`);

/** The day is exact; the instants bound what is read of the index on (program, book, instant, partner). */
const soldInDays = () => sql`s.occurred_at between ${given("since")} and ${given("until")}
  and (${param("from")} is null or s.day between ${param("from")} and ${param("to")})`;

const ofPartner = (table: "c" | "s") =>
  sql`(${param("partnerId")} is null or ${sql.raw(table)}.partner_id = ${param("partnerId")})`;

const matching = () => sql`(${param("currency")} is null or c.currency = ${param("currency")})
  and (${param("reason")} is null or c.reason = ${param("reason")})`;

/** Amounts of different currencies are never compared: those of one stand together. */
function orderOf(sort: CommissionSort, order: CommissionOrder) {
  const direction = sql.raw(order);
  const beyondLast = sql.raw(order === "desc" ? "<" : ">");
  const after = (value: string, id: string) =>
    sql`(${sql.raw(value)}, ${sql.raw(id)}) ${beyondLast} (${given("afterValue")}, ${given("afterId")})`;
  switch (sort) {
    case "created":
      return { by: sql`c.id ${direction}`, after: sql`c.id ${beyondLast} ${given("afterId")}` };
    case "date":
      return { by: sql`s.occurred_at ${direction}, s.id ${direction}`, after: after("s.occurred_at", "s.id") };
    case "amount":
      return {
        by: sql`c.currency, c.amount_cents ${direction}, c.id ${direction}`,
        after: sql`c.currency >= ${given("afterCurrency")}
          and (c.currency > ${given("afterCurrency")} or ${after("c.amount_cents", "c.id")})`,
      };
  }
}

interface Listing {
  readonly statuses: readonly CommissionStatus[];
  readonly sort: CommissionSort;
  readonly order: CommissionOrder;
  readonly isInDays: boolean;
}

/**
 * Ids of a page. By date, or within days, it follows the sales. By amount, it reads the statuses whole. Otherwise each
 * status is an index range of its own, so that a rare one isn't searched for among all.
 */
function idsOf({ statuses, sort, order, isInDays }: Listing, filters: readonly EventFilter[]): SQL {
  const { by, after } = orderOf(sort, order);
  const last = sql`${after} and ${matching()} order by ${by} limit ${given("limit")}`;
  if (filters.length > 0) {
    // The commissions of one sale or customer are few.
    const ofSales = filters.map((filter) => sql`c.sale_id in (${saleIdsOf(filter)})`);
    return sql`select c.id from commissions c cross join sales s on s.id = c.sale_id
      where ${sql.join(ofSales, sql` and `)} and ${withStatus(statuses)} and ${soldInDays()} and ${ofPartner("c")} and ${last}`;
  }
  if (sort === "date" || isInDays) {
    return sql`select c.id from sales s cross join commissions c on c.sale_id = s.id
      where ${inBook("s")} and ${soldInDays()} and ${ofPartner("s")} and ${withStatus(statuses)} and ${last}`;
  }
  const withEach = (some: readonly CommissionStatus[]) => sql`select c.id from commissions c
    where ${inBook("c")} and ${withStatus(some)} and ${ofPartner("c")} and ${last}`;
  if (sort === "amount") return withEach(statuses);
  const ranges = statuses.map((status) => sql`select * from (${withEach([status])})`);
  return sql`select c.id from (${sql.join(ranges, sql` union all `)}) c order by ${by} limit ${given("limit")}`;
}

/** As in a page, but of the whole rows. */
const rowOrder = {
  created: '"commissions"."id"',
  date: '"sales"."occurred_at"',
  amount: '"commissions"."amount_cents"',
};

function rowsBy(sort: CommissionSort, order: CommissionOrder): SQL {
  const column = sql.raw(`${rowOrder[sort]} ${order}`);
  if (sort === "created") return column;
  const id = sql.raw(`${sort === "date" ? '"sales"' : '"commissions"'}."id" ${order}`);
  return sort === "date" ? sql`${column}, ${id}` : sql`"commissions"."currency", ${column}, ${id}`;
}

const pagesOf = (listing: Listing) =>
  byFilters((filters) =>
    readAll<Page, CommissionView>((db) =>
      selectCommissions(db)
        .where(sql`${commissions.id} in (${idsOf(listing, filters)})`)
        .orderBy(rowsBy(listing.sort, listing.order)),
    ),
  );

const due = commissionStatuses.filter((status) => status !== "void");

type ListingKey = Omit<Listing, "statuses"> & Pick<CommissionFilter, "status">;

const pagesByName = new Map<string, ReturnType<typeof pagesOf>>();

/** Made on first use. */
function pagesFor({ status, ...key }: ListingKey): ReturnType<typeof pagesOf> {
  const name = [status, key.sort, key.order, key.isInDays].join(" ");
  const known = pagesByName.get(name) ?? pagesOf({ ...key, statuses: status === undefined ? due : [status] });
  pagesByName.set(name, known);
  return known;
}

const scopeOf = ({ programId, isTest }: Book, { partnerId, days }: Pick<CommissionFilter, "partnerId" | "days">) => ({
  ...{ programId, isTest, partnerId: partnerId ?? null, from: days?.from ?? null, to: days?.to ?? null },
  ...(days === undefined ? { since: -1, until: beyond } : spanAround(days)),
});

export interface CommissionPage {
  readonly sort: CommissionSort;
  readonly order: CommissionOrder;
  readonly after: CommissionPosition | undefined;
  readonly limit: number;
}

export async function listCommissions(
  database: Database,
  book: Book,
  { status, currency, reason, narrowing, ...filter }: CommissionFilter,
  { sort, order, after = startOf(order), limit }: CommissionPage,
): Promise<readonly CommissionView[]> {
  const scope = scopeOf(book, filter);
  const query = {
    ...{ ...scope, ...narrowing, currency: currency ?? null, reason: reason ?? null, limit },
    // A later page begins where the one before ended, in the index too.
    ...(sort === "date" && order === "desc" && { until: Math.min(scope.until, after.value) }),
    ...(sort === "date" && order === "asc" && { since: Math.max(scope.since, after.value) }),
    ...{ afterCurrency: after.currency, afterValue: after.value, afterId: after.id },
  };
  const pages = pagesFor({ status, sort, order, isInDays: filter.days !== undefined });
  return (await readBatch(database, { found: pages(filtersOf(narrowing))(query) })).found;
}

export interface CommissionTotal {
  readonly status: CommissionStatus;
  /** Only of `void`. */
  readonly reason: string | null;
  readonly currency: string;
  readonly count: number;
  readonly amountCents: bigint;
  readonly initialCents: bigint;
}

/** As text: the client refuses an answer with an integer above 2^53. */
const sumOf = (column: string) => sql`cast(sum(${sql.raw(column)}) as text)`.mapWith(BigInt);

const totalsOf = (from: SQL) =>
  readAll<Scope, CommissionTotal>((db) =>
    db
      .select({
        status: sql<CommissionStatus>`c.status`,
        reason: sql<string | null>`c.reason`,
        currency: sql<string>`c.currency`,
        count: sql<number>`count(*)`,
        amountCents: sumOf("c.amount_cents"),
        initialCents: sumOf("c.initial_cents"),
      })
      .from(from)
      .groupBy(sql`c.status, c.reason, c.currency`)
      .orderBy(sql`c.status, c.reason, c.currency`),
  );

const totalsOfAll = totalsOf(sql`(select c.status, c.reason, c.currency, c.amount_cents, c.initial_cents
  from commissions c where ${inBook("c")} and ${withStatus(commissionStatuses)} and ${ofPartner("c")}) c`);

const totalsInDays = totalsOf(sql`(select c.status, c.reason, c.currency, c.amount_cents, c.initial_cents
  from sales s cross join commissions c on c.sale_id = s.id
  where ${inBook("s")} and ${soldInDays()} and ${ofPartner("s")}) c`);

export async function readCommissionTotals(
  database: Database,
  book: Book,
  filter: Pick<CommissionFilter, "partnerId" | "days">,
): Promise<readonly CommissionTotal[]> {
  const totals = filter.days === undefined ? totalsOfAll : totalsInDays;
  return (await readBatch(database, { found: totals(scopeOf(book, filter)) })).found;
}
