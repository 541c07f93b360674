import { and, between, count, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Book } from "#domain/book.ts";
import { dayMs } from "#domain/calendar.ts";
import { boundAfter, byNewest, type EventKind, type EventPosition } from "#domain/event-page.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { type Days, spanAround } from "#domain/performance.ts";
import type { Database } from "../database.ts";
import { isSynthetic } from "../partners.ts";
import { isOfCorrection } from "../refunds.ts";
import { isReplacedSale } from "../sales.ts";
import { clicks } from "../schema/clicks.ts";
import { commissions } from "../schema/commissions.ts";
import { customers } from "../schema/customers.ts";
import { dailyCounts } from "../schema/daily-counts.ts";
import { leads } from "../schema/leads.ts";
import { referralLinks } from "../schema/partners.ts";
import { refunds } from "../schema/refunds.ts";
import { sales } from "../schema/sales.ts";
import { type Compiler, given, type Read, type RowOf, readAll, readCount, readFirst, unencoded } from "../statement.ts";
import { byFilters, type EventFilter, filtersOf, idsOf, type Narrowing } from "./narrowing.ts";

type NewestQuery = {
  programId: ProgramId;
  isTest: boolean;
  boundAt: number;
  boundId: number;
  since: number;
  from: string;
  to: string;
  partnerId: PartnerId | null;
  hidesSynthetic: boolean;
  limit: number;
} & Narrowing;

type Table = typeof clicks | typeof leads | typeof sales | typeof refunds;

const countOf = {
  click: sql`${dailyCounts.clicks} + ${dailyCounts.uncountedClicks}`,
  lead: sql`${dailyCounts.leads} + ${dailyCounts.unattributedLeads}`,
  sale: sql`${dailyCounts.sales} + ${dailyCounts.organicSales} + ${dailyCounts.correctedSales}`,
  refund: sql`${dailyCounts.refunds} + ${dailyCounts.organicRefunds} + ${dailyCounts.uncountedRefunds} + ${dailyCounts.correctedRefunds}`,
} as const satisfies Record<EventKind, SQL>;

/** Limits the search for a partner's events to the period in which the partner has events. */
const edgeOf = (kind: EventKind, edge: "min" | "max", dayShift: number): SQL => sql`(
  select ${sql.raw(edge)}(unixepoch(${dailyCounts.day})) * 1000 + ${sql.raw(String(dayShift * dayMs))} from ${dailyCounts}
  where ${dailyCounts.programId} = ${given("programId")} and ${dailyCounts.isTest} = ${unencoded("isTest")}
    and ${dailyCounts.partnerId} = ${given("partnerId")} and ${countOf[kind]} > 0)`;

/** Null if the partner has no events. The search then finds nothing. */
const within = (bound: "since" | "boundAt", kind: EventKind): SQL => {
  const edge = bound === "since" ? edgeOf(kind, "min", -1) : edgeOf(kind, "max", 2);
  const nearer = sql.raw(bound === "since" ? "max" : "min");
  return sql`iif(${given("partnerId")} is null, ${given(bound)}, ${nearer}(${given(bound)}, ${edge}))`;
};

/** Uses the index on (program, book, instant). */
const wanted = (table: Table, kind: EventKind): SQL | undefined =>
  and(
    eq(table.programId, given("programId")),
    eq(table.isTest, unencoded("isTest")),
    sql`${table.occurredAt} >= ${within("since", kind)}`,
    sql`${table.occurredAt} <= ${within("boundAt", kind)}`,
    sql`(${table.occurredAt} < ${given("boundAt")} or ${table.id} < ${given("boundId")})`,
    between(table.day, given("from"), given("to")),
    sql`(${given("partnerId")} is null or ${table.partnerId} = ${given("partnerId")})`,
    sql`not (${unencoded("hidesSynthetic")} and coalesce(${isSynthetic(table.partnerId)}, 0))`,
  );
const newest = (table: Table) => [desc(table.occurredAt), desc(table.id)];

const selectClicks = (db: Compiler) =>
  db
    .select({
      id: clicks.id,
      isTest: clicks.isTest,
      occurredAt: clicks.occurredAt,
      clickId: clicks.clickId,
      partnerCode: referralLinks.code,
      pageUrl: clicks.pageUrl,
      referrerUrl: clicks.referrerUrl,
      country: clicks.country,
      deviceType: clicks.deviceType,
      os: clicks.os,
      browser: clicks.browser,
      isBot: clicks.isBot,
    })
    .from(clicks)
    .leftJoin(referralLinks, eq(referralLinks.id, clicks.linkId));
const clicksWhere = (where: SQL | undefined) =>
  readAll<NewestQuery, RowOf<typeof selectClicks>>((db) =>
    selectClicks(db)
      .where(where)
      .orderBy(...newest(clicks))
      .limit(given("limit")),
  );

const selectLeads = (db: Compiler) =>
  db
    .select({
      id: leads.id,
      isTest: leads.isTest,
      occurredAt: leads.occurredAt,
      clickId: leads.clickId,
      partnerCode: leads.partnerCode,
      customerKey: leads.customerKey,
      isProvisional: leads.isProvisional,
    })
    .from(leads);
const leadsWhere = (where: SQL | undefined) =>
  readAll<NewestQuery, RowOf<typeof selectLeads>>((db) =>
    selectLeads(db)
      .where(where)
      .orderBy(...newest(leads))
      .limit(given("limit")),
  );

/** Null if the sale is attributed to another partner than its customer is. */
const clickOfSale = () =>
  sql<string | null>`case when ${sales.partnerId} = ${customers.partnerId} then ${customers.clickId} end`;

const selectSales = (db: Compiler) =>
  db
    .select({
      id: sales.id,
      isTest: sales.isTest,
      occurredAt: sales.occurredAt,
      clickId: sql<string | null>`iif(${commissions.source} = 'click', ${clickOfSale()}, null)`,
      partnerCode: sales.partnerCode,
      transactionId: sales.transactionId,
      amountCents: sales.amountCents,
      currency: sales.currency,
      customerKey: sql<string | null>`coalesce(${customers.customerKey}, ${sales.sentCustomerKey})`,
      source: commissions.source,
      isAttributed: sql`${sales.partnerId} is not null`.mapWith(Boolean),
      reason: sql<string | null>`coalesce(${sales.reason}, ${commissions.reason})`,
      isCorrected: sql`${isReplacedSale}`.mapWith(Boolean),
      isCorrection: sql`${sales.correctedSaleId} is not null`.mapWith(Boolean),
      commissionId: sql<number>`${commissions.id}`,
    })
    .from(sales)
    // Outer joins make SQLite scan the index on sales first. Every sale has a commission, so no row is added.
    .leftJoin(commissions, eq(commissions.saleId, sales.id))
    .leftJoin(customers, eq(customers.id, sales.customerId));
const salesWhere = (where: SQL | undefined) =>
  readAll<NewestQuery, RowOf<typeof selectSales>>((db) =>
    selectSales(db)
      .where(where)
      .orderBy(...newest(sales))
      .limit(given("limit")),
  );

const selectRefunds = (db: Compiler) =>
  db
    .select({
      id: refunds.id,
      isTest: refunds.isTest,
      occurredAt: refunds.occurredAt,
      clickId: clickOfSale(),
      partnerCode: sales.partnerCode,
      transactionId: sql<string>`${sales.transactionId}`,
      refundedCents: refunds.refundedCents,
      currency: refunds.currency,
      reason: refunds.reason,
      isOfCorrection,
    })
    .from(refunds)
    .leftJoin(sales, eq(sales.id, refunds.saleId))
    .leftJoin(customers, eq(customers.id, sales.customerId));
const refundsWhere = (where: SQL | undefined) =>
  readAll<NewestQuery, RowOf<typeof selectRefunds>>((db) =>
    selectRefunds(db)
      .where(where)
      .orderBy(...newest(refunds))
      .limit(given("limit")),
  );

type Stored<Kind extends EventKind, Row> = Row & { readonly kind: Kind };
export type TrackedEvent =
  | Stored<"click", RowOf<typeof selectClicks>>
  | Stored<"lead", RowOf<typeof selectLeads>>
  | Stored<"sale", RowOf<typeof selectSales>>
  | Stored<"refund", RowOf<typeof selectRefunds>>;

const ofKind =
  <Kind extends EventKind, Row>(kind: Kind, read: (asked: NewestQuery) => Read<Row[]>) =>
  (asked: NewestQuery): Read<Stored<Kind, Row>[]> => {
    const made = read(asked);
    return { ...made, decode: (rows) => made.decode(rows).map((event) => ({ ...event, kind })) };
  };

type Lists = Readonly<Record<EventKind, (asked: NewestQuery) => Read<TrackedEvent[]>>>;

const listsWhere = (where: (table: Table, kind: EventKind) => SQL | undefined): Lists => ({
  click: ofKind("click", clicksWhere(where(clicks, "click"))),
  lead: ofKind("lead", leadsWhere(where(leads, "lead"))),
  sale: ofKind("sale", salesWhere(where(sales, "sale"))),
  refund: ofKind("refund", refundsWhere(where(refunds, "refund"))),
});

export const newestOf: Lists = listsWhere(wanted);

/** Finds the events by id instead of by time, because a customer or a sale has few events. */
const narrowed = (filters: readonly EventFilter[]) => (table: Table, kind: EventKind) =>
  and(
    ...filters.map((filter) => sql`${table.id} in (${idsOf(kind, filter)})`),
    sql`${table.occurredAt} <= ${given("boundAt")}`,
    sql`(${table.occurredAt} < ${given("boundAt")} or ${table.id} < ${given("boundId")})`,
    between(table.day, given("from"), given("to")),
    sql`(${given("partnerId")} is null or ${table.partnerId} = ${given("partnerId")})`,
  );

const countsWhere = (where: (table: Table, kind: EventKind) => SQL | undefined) => {
  const countIn = (table: Table, kind: EventKind) =>
    readCount<NewestQuery>((db) => db.select({ n: count() }).from(table).where(where(table, kind)));
  return {
    click: countIn(clicks, "click"),
    lead: countIn(leads, "lead"),
    sale: countIn(sales, "sale"),
    refund: countIn(refunds, "refund"),
  };
};

const narrowedTo = byFilters((filters) => {
  const where = narrowed(filters);
  return { lists: listsWhere(where), counts: countsWhere(where) };
});

type Counted = { programId: ProgramId; isTest: boolean; from: string; to: string; partnerId: PartnerId | null };
type EventCounts = Readonly<Record<EventKind, number>>;

/** Exact counts: each event is counted in the transaction that records it. */
const countsOfDays = readFirst<Counted, EventCounts>((db) =>
  db
    .select({
      click: sql<number>`coalesce(sum(${countOf.click}), 0)`,
      lead: sql<number>`coalesce(sum(${countOf.lead}), 0)`,
      sale: sql<number>`coalesce(sum(${countOf.sale}), 0)`,
      refund: sql<number>`coalesce(sum(${countOf.refund}), 0)`,
    })
    .from(dailyCounts)
    .where(
      and(
        eq(dailyCounts.programId, given("programId")),
        eq(dailyCounts.isTest, unencoded("isTest")),
        between(dailyCounts.day, given("from"), given("to")),
        sql`(${given("partnerId")} is null or ${dailyCounts.partnerId} = ${given("partnerId")})`,
      ),
    ),
);

export interface EventsQuery {
  readonly books: readonly Book[];
  readonly kinds: readonly EventKind[];
  readonly days: Days;
  readonly partnerId: PartnerId | undefined;
  readonly narrowing: Narrowing;
  readonly after: EventPosition | undefined;
  readonly limit: number;
}

/** Returns the newest events of all books and kinds, merged, and their total number. Makes one database request. */
export async function readEvents(
  database: Database,
  query: EventsQuery,
): Promise<{ readonly events: readonly TrackedEvent[]; readonly total: number }> {
  const { books, kinds, days, partnerId, narrowing, after, limit } = query;
  const { since, until } = spanAround(days);
  const filters = filtersOf(narrowing);
  const { lists, counts } = filters.length === 0 ? { lists: newestOf, counts: undefined } : narrowedTo(filters);
  const common = { ...days, ...narrowing, partnerId: partnerId ?? null, since, hidesSynthetic: false, limit };
  const listed = books.flatMap((book) =>
    kinds.map((kind) => {
      const bound = boundAfter(kind, after, until);
      return lists[kind]({ ...book, ...common, boundAt: bound.occurredAt, boundId: bound.id });
    }),
  );
  const ofDays = (counted: EventCounts | undefined): number => kinds.reduce((n, kind) => n + (counted?.[kind] ?? 0), 0);
  const everything = { boundAt: until, boundId: Number.MAX_SAFE_INTEGER };
  const totals: readonly Read<number>[] = books.flatMap((book) => {
    if (counts !== undefined) return kinds.map((kind) => counts[kind]({ ...book, ...common, ...everything }));
    const read = countsOfDays({ ...book, ...common });
    return [{ ...read, decode: (rows) => ofDays(read.decode(rows)) }];
  });
  const results = await database.read([...totals, ...listed]);
  const total = totals.reduce((sum, read, i) => sum + read.decode(results[i] ?? []), 0);
  const events = listed.flatMap((read, i) => read.decode(results[totals.length + i] ?? []));
  return { events: events.sort(byNewest).slice(0, limit), total };
}
