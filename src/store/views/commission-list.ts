import { type SQL, sql } from "drizzle-orm";
import type { Book } from "#domain/book.ts";
import {
  type CommissionStatus,
  commissionStatuses,
  type ShownStatus,
  shownStatuses,
} from "#domain/commission-status.ts";
import type { CommissionId, PartnerId, PayoutId, ProgramId } from "#domain/ids.ts";
import { spanAround } from "#domain/performance.ts";
import { type Database, readBatch, readOne } from "../database.ts";
import { approvedOfPartner, isHolding, isLinePaid, shownStatusOf } from "../payout-ranges.ts";
import { raisedSignals } from "../raised-signals.ts";
import { memo } from "../reports/memo.ts";
import { byFilters, type EventFilter, filtersOf, type Narrowing, saleIdsOf } from "../reports/narrowing.ts";
import { commissions } from "../schema/commissions.ts";
import { given, readAll, readCount, unencoded } from "../statement.ts";
import type { CommissionFilter, CommissionOrder, CommissionPosition, CommissionSort } from "./commission-filter.ts";
import { type CommissionView, selectCommissions } from "./commissions.ts";

const beyond = Number.MAX_SAFE_INTEGER;

const startOf = (order: CommissionOrder): CommissionPosition =>
  order === "desc" ? { currency: "", value: beyond, id: beyond } : { currency: "", value: -1, id: 0 };

export type Scope = {
  programId: ProgramId;
  isTest: boolean;
  partnerId: PartnerId | null;
  payoutId: PayoutId | null;
  from: string | null;
  to: string | null;
  since: number;
  until: number;
};
type Page = Scope & {
  currency: string | null;
  reason: string | null;
  sub: string | null;
  flag: string | null;
  afterCurrency: string;
  afterValue: number;
  afterId: number;
  limit: number;
} & Narrowing;

export const inBook = (table: "c" | "s") =>
  sql`${sql.raw(table)}.program_id = ${given("programId")} and ${sql.raw(table)}.is_test = ${unencoded("isTest")}`;

export const oneOf = (statuses: readonly ShownStatus[]): SQL =>
  sql.raw(`(${statuses.map((each) => `'${each}'`).join(", ")})`);

/** The statuses for which the status shown can differ from the stored one because of a payout. */
const holdable: readonly ShownStatus[] = ["approved", "paid", "reversed"];

const ownStatuses = (shown: readonly ShownStatus[]): readonly CommissionStatus[] =>
  commissionStatuses.filter(
    (own) => shown.includes(own) || (own !== "pending" && holdable.includes(own) && shown.some(isHeldStatus)),
  );

const isHeldStatus = (status: ShownStatus): boolean => status === "approved" || status === "paid";

/** Commissions with these stored statuses. Payouts are searched only if the status shown depends on them. */
function withStatus(shown: readonly ShownStatus[], own: readonly CommissionStatus[]): SQL {
  const isShown =
    holdable.every((status) => shown.includes(status)) || !own.some((status) => holdable.includes(status));
  return isShown
    ? sql`c.status in ${oneOf(own)}`
    : sql`c.status in ${oneOf(own)} and ${shownStatusOf("c")} in ${oneOf(shown)}`;
}

/**
 * The condition on the day is exact. The instants limit the range that is read from the index on (program, book,
 * instant, partner).
 */
export const soldInDays = () => sql`s.occurred_at between ${given("since")} and ${given("until")}
  and (${unencoded("from")} is null or s.day between ${unencoded("from")} and ${unencoded("to")})`;

export const ofPartner = (table: "c" | "s" | "r") =>
  sql`(${unencoded("partnerId")} is null or ${sql.raw(table)}.partner_id = ${unencoded("partnerId")})`;

/** Joins a payout `p`, its ranges `r`, and each commission `c` in these ranges. */
export const heldByPayout = () => sql`payouts p cross join payout_ranges r on r.payout_id = p.id
  and r.program_id = p.program_id and r.currency = p.currency cross join commissions c on ${isHolding("c")}`;

export const ofPayout = () =>
  sql`p.id = ${given("payoutId")} and p.program_id = ${given("programId")} and ${ofPartner("r")} and ${inBook("c")}`;

export const statusInPayout = sql`iif(${isLinePaid("r.partner_id")}, 'paid', 'approved')`;

const matching = () => sql`(${unencoded("currency")} is null or c.currency = ${unencoded("currency")})
  and (${unencoded("reason")} is null or c.reason = ${unencoded("reason")})
  and (${unencoded("sub")} is null or c.sub = ${unencoded("sub")})`;

/** Sorts by amount only within a currency, because amounts of different currencies aren't comparable. */
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
    case "partner": {
      // Sorts in the order of the indexes on ranges and payable numbers, so that a page reads only the rows it returns.
      const number = sql`(select payable_number from commissions where id = ${given("afterId")})`;
      return {
        by: sql.raw(["r.partner_id", "r.to_number", "c.payable_number", "c.id"].map((by) => `${by} ${order}`).join()),
        after: sql`r.partner_id ${beyondLast}= ${given("afterValue")}
          and (r.partner_id, c.payable_number, c.id) ${beyondLast} (${given("afterValue")}, ${number}, ${given("afterId")})`,
      };
    }
  }
}

/** The unary plus makes SQLite use the partner's index instead of the index of the whole book. */
const inPartnersBook = () => sql`c.partner_id = ${unencoded("partnerId")} and c.is_test = ${unencoded("isTest")}
  and +c.program_id = ${given("programId")}`;

interface Listing {
  readonly statuses: readonly ShownStatus[];
  /** The stored statuses. */
  readonly own: readonly CommissionStatus[];
  readonly isUnconfirmed: boolean;
  /** Null: commissions that are held and those that aren't. */
  readonly isHeld: boolean | null;
  readonly hasFlag: boolean;
  readonly hasAnyFlag: boolean;
  readonly lacksFlags: boolean;
  readonly sort: CommissionSort;
  readonly order: CommissionOrder;
  readonly isInDays: boolean;
  readonly isOfPayout: boolean;
  /** Null: whether the commission is in a payout makes no difference. */
  readonly isInPayout: boolean | null;
  readonly isOfPartner: boolean;
}

/**
 * Selects the ids of a page. The list determines the rows that are read:
 * - With a payout: all commissions of the payout, or only those of the page if sorted by partner.
 * - Of a partner's payable amount, or of the amount in payouts: all commissions of the amount.
 * - With a filter by sale or customer: the few commissions of that sale or customer.
 * - Of a partner, within days, but not sorted by date: all of the partner's commissions.
 * - Otherwise, if sorted by date or within days: the index on sales.
 * - Sorted by amount: all commissions of the statuses.
 * - In all other cases: a separate index range for each status, so that a rare status doesn't require a scan of all
 *   commissions.
 */
function idsOf(listing: Listing, filters: readonly EventFilter[]): SQL {
  const { statuses, own, sort, order, isInDays, isOfPayout, isInPayout, isOfPartner } = listing;
  const { by, after } = orderOf(sort, order);
  const last = sql`${after} and ${matching()}${markedAs(listing)} order by ${by} limit ${given("limit")}`;
  const ofSales = filters.map((filter) => sql`c.sale_id in (${saleIdsOf(filter)})`);
  if (isOfPayout) {
    const needsSale = sort === "date" || isInDays;
    const withSales = needsSale ? sql` cross join sales s on s.id = c.sale_id` : sql``;
    const wanted = [ofPayout(), sql`${statusInPayout} in ${oneOf(statuses)}`, ...ofSales];
    if (needsSale) wanted.push(soldInDays());
    return sql`select c.id from ${heldByPayout()}${withSales} where ${sql.join(wanted, sql` and `)} and ${last}`;
  }
  if (isInPayout !== null) {
    return sql`select c.id from ${approvedOfPartner(isInPayout)} cross join sales s on s.id = c.sale_id
      where ${sql.join([inBook("c"), soldInDays(), ...ofSales], sql` and `)} and ${last}`;
  }
  if (filters.length > 0) {
    // One sale or customer has few commissions.
    return sql`select c.id from commissions c cross join sales s on s.id = c.sale_id
      where ${sql.join(ofSales, sql` and `)} and ${withStatus(statuses, own)} and ${soldInDays()} and ${ofPartner("c")} and ${last}`;
  }
  if (isOfPartner && isInDays && sort !== "date") {
    return sql`select c.id from commissions c cross join sales s on s.id = c.sale_id
      where ${inPartnersBook()} and ${soldInDays()} and ${withStatus(statuses, own)} and ${last}`;
  }
  if (sort === "date" || isInDays) {
    return sql`select c.id from sales s cross join commissions c on c.sale_id = s.id
      where ${inBook("s")} and ${soldInDays()} and ${ofPartner("s")} and ${withStatus(statuses, own)} and ${last}`;
  }
  const inScope = isOfPartner ? inPartnersBook() : inBook("c");
  const withEach = (some: readonly CommissionStatus[]) => sql`select c.id from commissions c
    where ${inScope} and ${withStatus(statuses, some)} and ${last}`;
  if (sort === "amount") return withEach(own);
  const ranges = own.map((status) => sql`select * from (${withEach([status])})`);
  return sql`select c.id from (${sql.join(ranges, sql` union all `)}) c order by ${by} limit ${given("limit")}`;
}

const markedAs = ({ isUnconfirmed, isHeld, hasFlag, hasAnyFlag, lacksFlags }: Listing): SQL =>
  sql`${
    isUnconfirmed ? sql` and c.is_unconfirmed = 1` : sql``
  }${isHeld === null ? sql`` : sql` and ${isHeld ? sql`` : sql`not `}(c.status = 'pending' and c.held_at is not null)`}${
    hasFlag ? sql` and c.status <> 'void' and c.id in (${hasAnyFlag ? anyFlaggedIds : flaggedIds})` : sql``
  }${lacksFlags ? sql` and not exists (${signalsOfEach})` : sql``}`;

const flaggedIds = sql`select g.commission_id from commission_signals g where g.program_id = ${given("programId")}
  and g.is_test = ${unencoded("isTest")} and g.code = ${unencoded("flag")} and g.ended_at is null`;

const anyFlaggedIds = sql`select g.commission_id from commission_signals g where g.program_id = ${given("programId")}
  and g.is_test = ${unencoded("isTest")} and g.code in ${raisedSignals} and g.ended_at is null`;

const signalsOfEach = sql`select 1 from commission_signals g
  where g.commission_id = c.id and g.code in ${raisedSignals} and g.ended_at is null`;

/** The order of the complete rows of a page. */
const rowOrder = {
  created: '"commissions"."id"',
  date: '"sales"."occurred_at"',
  amount: '"commissions"."amount_cents"',
  partner: '"commissions"."partner_id"',
};

function rowsBy(sort: CommissionSort, order: CommissionOrder): SQL {
  const column = sql.raw(`${rowOrder[sort]} ${order}`);
  if (sort === "created") return column;
  if (sort === "partner") {
    return sql`${column}, ${sql.raw(`"commissions"."payable_number" ${order}, "commissions"."id" ${order}`)}`;
  }
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

const matchesOf = (listing: Listing) =>
  byFilters((filters) => ({
    ids: readAll<Page, { id: CommissionId }>((db) =>
      db.select({ id: sql<number>`m.id` }).from(sql`(${idsOf(listing, filters)}) m`),
    ),
    count: readCount<Page>((db) => db.select({ n: sql<number>`count(*)` }).from(sql`(${idsOf(listing, filters)}) m`)),
  }));

const heldStatuses: readonly ShownStatus[] = ["pending"];
const due = shownStatuses.filter((status) => status !== "void");

function byListing<T>(make: (listing: Listing) => T): (listing: Listing) => T {
  const made = memo((name: string) => make(JSON.parse(name) as Listing));
  return (listing) => made(JSON.stringify(listing));
}
const pagesFor = byListing(pagesOf);
const matchesFor = byListing(matchesOf);

export const scopeOf = (
  { programId, isTest }: Book,
  { partnerId, payoutId, days }: Pick<CommissionFilter, "partnerId" | "payoutId" | "days">,
) => ({
  programId,
  isTest,
  partnerId: partnerId ?? null,
  payoutId: payoutId ?? null,
  from: days?.from ?? null,
  to: days?.to ?? null,
  ...(days === undefined ? { since: -1, until: beyond } : spanAround(days)),
});

const listingOf = (
  { isReversed, isUnconfirmed = false, isHeld, flag, days, payoutId, isInPayout, partnerId }: CommissionFilter,
  { sort, order }: Pick<CommissionPage, "sort" | "order">,
  statuses: readonly ShownStatus[],
): Listing => ({
  statuses,
  own: isReversed ? ["reversed"] : ownStatuses(statuses),
  isUnconfirmed,
  isHeld: isHeld ?? null,
  hasFlag: flag !== undefined && flag !== "none",
  hasAnyFlag: flag === "any",
  lacksFlags: flag === "none",
  sort,
  order,
  isInDays: days !== undefined,
  isOfPayout: payoutId !== undefined,
  isInPayout: isInPayout ?? null,
  isOfPartner: partnerId !== undefined,
});

function queryOf(
  book: Book,
  { currency, reason, sub, flag, narrowing, ...filter }: CommissionFilter,
  { sort, order, after = startOf(order), limit }: CommissionPage,
): Page {
  const scope = scopeOf(book, filter);
  return {
    ...scope,
    ...narrowing,
    limit,
    currency: currency ?? null,
    reason: reason ?? null,
    sub: sub ?? null,
    flag: flag ?? null,
    // The index range of a page begins where the previous page ended.
    ...(sort === "date" && order === "desc" && { until: Math.min(scope.until, after.value) }),
    ...(sort === "date" && order === "asc" && { since: Math.max(scope.since, after.value) }),
    afterCurrency: after.currency,
    afterValue: after.value,
    afterId: after.id,
  };
}

export interface CommissionPage {
  readonly sort: CommissionSort;
  readonly order: CommissionOrder;
  readonly after: CommissionPosition | undefined;
  readonly limit: number;
}

export async function listCommissions(
  database: Database,
  book: Book,
  filter: CommissionFilter,
  page: CommissionPage,
): Promise<readonly CommissionView[]> {
  const statuses = filter.status === undefined ? (filter.isHeld ? heldStatuses : due) : [filter.status];
  const pages = pagesFor(listingOf(filter, page, statuses));
  return await readOne(database, pages(filtersOf(filter.narrowing))(queryOf(book, filter, page)));
}

export interface Matches {
  /** The newest ids, at most `limit`. */
  readonly ids: readonly CommissionId[];
  /** Counting stops at `countUpTo + 1`. */
  readonly count: number;
}

export interface MatchRange {
  readonly statuses: readonly ShownStatus[];
  /** Only commissions with a smaller id. */
  readonly beforeId: number | null;
  readonly countUpTo: number;
  readonly limit: number;
}

/** Returns live commissions that match the filter, newest first. */
export async function readMatches(
  database: Database,
  programId: ProgramId,
  filter: CommissionFilter,
  { statuses, beforeId, countUpTo, limit }: MatchRange,
): Promise<Matches> {
  const order = { sort: "created", order: "desc" } as const;
  const wanted = statuses.filter((each) => filter.status === undefined || filter.status === each);
  if (wanted.length === 0) return { ids: [], count: 0 };
  const matches = matchesFor(listingOf(filter, order, wanted))(filtersOf(filter.narrowing));
  const after = { currency: "", value: 0, id: beforeId ?? beyond };
  const query = (most: number) => queryOf({ programId, isTest: false }, filter, { ...order, after, limit: most });
  const found = await readBatch(database, {
    ids: matches.ids(query(limit)),
    count: matches.count(query(countUpTo + 1)),
  });
  return { ids: found.ids.map(({ id }) => id), count: found.count };
}
