import { desc, eq, type SQL, sql } from "drizzle-orm";
import { type AttributionSource, isFinalAtOnce } from "#domain/attribution.ts";
import type { Book } from "#domain/book.ts";
import { sumsByCurrency } from "#domain/currency-sums.ts";
import type { CustomerId, ProgramId } from "#domain/ids.ts";
import { type Database, readBatch } from "../database.ts";
import { isReplaced } from "../sales.ts";
import { customers } from "../schema/customers.ts";
import { referralLinks } from "../schema/partners.ts";
import { type Compiler, given, type RowOf, readAll, readFirst, unencoded } from "../statement.ts";

/** Undefined fields match every customer. No text finds an erased customer. */
export interface CustomerFilter {
  readonly customerKey?: string | undefined;
  /** Any code of the partner, in lower case. */
  readonly codeKey?: string | undefined;
  readonly source?: AttributionSource | undefined;
  readonly isAttributed?: boolean | undefined;
  /** First and last instant at which the customer became known (ms). */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly hasSale?: boolean | undefined;
  readonly text?: SearchText | undefined;
}

interface SearchText {
  /** A customer key or its beginning. */
  readonly q: string;
  /** Normalized. Undefined if the text isn't an address. */
  readonly address: string | undefined;
  readonly emailHash: string | undefined;
}

export interface CustomerPosition {
  /** True if the list reads ranges of ids, because the program has many customers. */
  readonly isScan: boolean;
  /** The page contains customers with smaller ids. */
  readonly before: number;
}

export const firstCustomer: CustomerPosition = { isScan: false, before: Number.MAX_SAFE_INTEGER };

// The number of rows that a page reads is limited. No index has a program's customers in the order in which they became
// known. If the program has few customers, leads and sales, a page reads the ids of all its customers. Otherwise, it
// reads a range of ids, which contains customers of the shard's other programs too, so the page may be short.

/** The figures of a customer with more sales aren't computed. */
export const maxCountedSales = 10_000;

const most = { keys: 1_500, leads: 1_000, sales: 2_000, idsPerPage: 3_500, salesPerPage: 300 };

const inBook = (alias: string): SQL =>
  sql`${sql.raw(alias)}.program_id = ${unencoded("programId")} and ${sql.raw(alias)}.is_test = ${unencoded("isTest")}`;

const lastCharacter = "\u{10FFFF}";
const startsWithText = sql`u.customer_key >= ${unencoded("q")} and u.customer_key < ${unencoded("q")} || ${lastCharacter}`;

/**
 * Customers that the setup verification created. A customer that the verification failed to attribute is recognized by
 * the form of the customer_key.
 */
const isSynthetic = sql`u.is_test and (case when u.partner_id is null
  then u.customer_key glob ${`verification_${"[0-9a-f]".repeat(16)}`}
  else (select p.is_synthetic from partners p where p.id = u.partner_id) end)`;

const isOrAny = (name: string, condition: SQL): SQL => sql`(${unencoded(name)} is null or ${condition})`;

const matches = sql`${inBook("u")}
  and ${isOrAny("customerKey", sql`(u.customer_key = ${unencoded("customerKey")} and not u.is_erased)`)}
  and ${isOrAny(
    "q",
    sql`(not u.is_erased and (${startsWithText} or u.email_hash = ${unencoded("emailHash")}
      or lower(u.customer_key) = ${unencoded("address")}))`,
  )}
  and ${isOrAny(
    "codeKey",
    sql`u.partner_id = (select k.partner_id from referral_links k
      where k.code_key = ${unencoded("codeKey")} and k.program_id = ${unencoded("programId")})`,
  )}
  and ${isOrAny("source", sql`u.source = ${unencoded("source")}`)}
  and ${isOrAny("isAttributed", sql`(u.partner_id is not null) = ${unencoded("isAttributed")}`)}
  and ${isOrAny("from", sql`u.created_at >= ${unencoded("from")}`)}
  and ${isOrAny("to", sql`u.created_at <= ${unencoded("to")}`)}
  and ${isOrAny("hasSale", sql`(u.first_sale_at is not null) = ${unencoded("hasSale")}`)}
  and not coalesce(${isSynthetic}, 0)`;

type Filter = {
  readonly [Name in "customerKey" | "codeKey" | "source" | "q" | "address" | "emailHash"]: string | null;
} & { readonly [Name in "isAttributed" | "hasSale"]: boolean | null } & {
  readonly [Name in "from" | "to"]: number | null;
} & { readonly programId: ProgramId; readonly isTest: boolean };
type Page = Filter & { readonly before: number; readonly limit: number };

/** The ids that an index has, packed into one value. */
const ids = (condition: SQL, limit: number) =>
  readFirst<Page, { readonly ids: string }>((db) =>
    db
      .select({ ids: sql<string>`json_group_array(k.id)` })
      .from(sql`(select ${condition} limit ${sql.raw(String(limit + 1))}) k`),
  );

const byKey = (condition: SQL): SQL =>
  sql`u.id from customers u indexed by customers_key where ${inBook("u")} and u.customer_key is not null and ${condition}`;

/** Queries that together find the ids of all customers that a filter can match, and the most ids that they may find. */
const sources = {
  all: [
    [byKey(sql`1 = 1`), most.keys],
    // Customers without a key are known by a lead or a sale.
    [sql`l.customer_id as id from leads l indexed by leads_recent where ${inBook("l")}`, most.leads],
    [sql`s.customer_id as id from sales s indexed by sales_recent where ${inBook("s")}`, most.sales],
  ],
  key: [[byKey(sql`u.customer_key = ${unencoded("customerKey")}`), 1]],
  text: [
    [byKey(startsWithText), most.keys],
    [
      sql`u.id from customers u where ${inBook("u")} and u.email_hash = ${unencoded("emailHash")}
        union all select ${byKey(sql`u.customer_key = ${unencoded("address")}`)}`,
      most.leads,
    ],
    [
      sql`u.id from customers u indexed by customers_email_key where ${inBook("u")}
        and instr(u.customer_key, '@') > 1 and u.customer_key <> lower(u.customer_key)
        and ${unencoded("address")} is not null`,
      most.sales,
    ],
  ],
} as const satisfies Readonly<Record<string, readonly (readonly [SQL, number])[]>>;

const idReads = (of: keyof typeof sources) =>
  sources[of].map(([condition, limit]) => ({ read: ids(condition, limit), limit }));
const reads = { all: idReads("all"), key: idReads("key"), text: idReads("text") };

/** The ids of the customers that the page's filter can match, newest first. Undefined if there are too many. */
async function candidates(
  database: Database,
  kind: keyof typeof sources,
  page: Page,
): Promise<readonly number[] | undefined> {
  const found = await database.read(reads[kind].map(({ read }) => read(page)));
  const lists = reads[kind].map(({ read, limit }, i) => {
    const listed = JSON.parse(read(page).decode(found[i] ?? [])?.ids ?? "[]") as (number | null)[];
    return listed.length > limit ? undefined : listed;
  });
  if (lists.includes(undefined)) return undefined;
  const unique = new Set(lists.flatMap((list) => list ?? []));
  return [...unique].filter((id): id is number => id !== null && id < page.before).sort((a, b) => b - a);
}

/**
 * The lower end (exclusive) of the range of ids that a page reads. The upper end is the highest existing id below
 * `before`.
 */
const beginning = sql`(select coalesce(max(t.id), 0) from customers t where t.id < ${given("before")})
  - ${sql.raw(String(most.idsPerPage))}`;

const picks = {
  // In the order of the list, so that SQLite stops at the limit.
  ofIds: sql`select u.id from json_each(${given("ids")}) k cross join customers u on u.id = k.value
    where ${matches} limit ${given("limit")}`,
  ofRange: sql`select u.id from customers u not indexed where u.id < ${given("before")} and u.id > ${beginning}
    and ${matches} order by u.id desc limit ${given("limit")}`,
};

const counted = (atMost: number): SQL =>
  sql`(select count(*) from (select 1 from sales s where s.customer_id = d.id limit ${sql.raw(String(atMost + 1))}))`;

/**
 * Counts the customers' sales. If the page would read too many sales in total, it ends before the customer with whom
 * the limit is exceeded.
 */
const withCounts = (pick: SQL): SQL => sql`(
  with recursive picked as materialized (${pick}),
  numbered as materialized (select id, row_number() over (order by id desc) as n from picked),
  walked (n, id, counted, earlier) as (
    select 0, 0, 0, 0
    union all
    select d.n, d.id, iif(d.n = 1, ${counted(maxCountedSales)}, ${counted(most.salesPerPage)}), w.earlier + w.counted
    from walked w join numbered d on d.n = w.n + 1 where w.earlier + w.counted <= ${sql.raw(String(most.salesPerPage))}
  )
  select id, counted, (select count(*) from picked) as picked from walked
  where n = 1 or (n > 1 and earlier + counted <= ${sql.raw(String(most.salesPerPage))})) p`;

interface PairSum {
  readonly currency: string;
  readonly commissionCurrency: string;
  readonly isAttributed: 0 | 1;
  readonly sales: number;
  readonly amountCents: number;
  readonly refundedCents: number;
  readonly commissionCents: number;
}
export type CustomerSum = Omit<PairSum, "commissionCurrency">;

const sumsOf = (pairs: readonly PairSum[]): readonly CustomerSum[] =>
  ([0, 1] as const).flatMap((isAttributed) =>
    sumsByCurrency(
      ["sales", "amountCents", "refundedCents"],
      pairs.filter((pair) => pair.isAttributed === isAttributed),
    ).map(({ hasCommissions: _, ...sum }) => ({ ...sum, isAttributed })),
  );

/**
 * The sums for each currency, separately for attributed sales and for the others. At most 10,000 sales add up to less
 * than 2^53.
 */
const sums = sql<readonly CustomerSum[] | null>`iif(p.counted > ${sql.raw(String(maxCountedSales))}, null, (
  select json_group_array(json_object('currency', f.currency, 'commissionCurrency', f.commission_currency, 'isAttributed', f.is_attributed, 'sales', f.sales,
    'amountCents', f.amount_cents, 'refundedCents', f.refunded_cents, 'commissionCents', f.commission_cents))
  from (
    select s.currency, coalesce(c.currency, s.currency) as commission_currency, s.partner_id is not null as is_attributed,
      count(*) as sales, sum(s.amount_cents) as amount_cents, sum(s.refunded_cents) as refunded_cents,
      coalesce(sum(c.amount_cents), 0) as commission_cents
    from sales s left join commissions c on c.sale_id = s.id and s.partner_id is not null
    where s.customer_id = ${customers.id} and not ${isReplaced} group by 1, 2, 3
  ) f))`.mapWith((json: string) => sumsOf(JSON.parse(json) as readonly PairSum[]));

const selectCustomers = (db: Compiler, pick: SQL) =>
  db
    .select({
      id: customers.id,
      customerKey: customers.customerKey,
      partnerCode: referralLinks.code,
      source: customers.source,
      /** The instant from which the partner has the customer, whatever the attribution's source. */
      since: sql<number | null>`coalesce(${customers.since}, ${customers.boundAt})`,
      confirmedAt: customers.confirmedAt,
      firstAttributedSaleAt: customers.firstAttributedSaleAt,
      createdAt: customers.createdAt,
      firstSaleAt: customers.firstSaleAt,
      sums,
      picked: sql<number>`p.picked`,
    })
    .from(withCounts(pick))
    .crossJoin(customers)
    .leftJoin(referralLinks, eq(referralLinks.id, customers.linkId))
    .where(sql`${customers.id} = p.id`)
    .orderBy(desc(customers.id));

type FoundCustomer = RowOf<typeof selectCustomers>;

const rowsOfIds = readAll<Page & { ids: string }, FoundCustomer>((db) => selectCustomers(db, picks.ofIds));
const rowsOfRange = readAll<Page, FoundCustomer>((db) => selectCustomers(db, picks.ofRange));

/** The newest customer before the range. */
const beforeRange = readFirst<{ before: number }, { readonly id: CustomerId | null }>((db) =>
  db
    .select({ id: sql<CustomerId | null>`max(${customers.id})` })
    .from(customers)
    .where(sql`${customers.id} <= ${beginning}`),
);

export type CustomerView = Omit<FoundCustomer, "confirmedAt" | "firstAttributedSaleAt" | "picked"> & {
  readonly locked: boolean;
};

export interface CustomerPage {
  readonly rows: readonly CustomerView[];
  /** Undefined on the last page. A page may be short, or even empty, if there is a next one. */
  readonly next: CustomerPosition | undefined;
}

/** Lists customers, newest first. Makes at most two database requests. */
export async function listCustomers(
  database: Database,
  book: Book,
  filter: CustomerFilter,
  { after: { isScan, before }, size }: { readonly after: CustomerPosition; readonly size: number },
): Promise<CustomerPage> {
  const page = { ...valuesOf(book, filter), before, limit: size + 1 };
  const kind = filter.customerKey !== undefined ? "key" : filter.text !== undefined ? "text" : "all";
  const ids = isScan ? undefined : await candidates(database, kind, page);
  if (ids?.length === 0) return { rows: [], next: undefined };
  if (ids !== undefined) {
    const { rows } = await readBatch(database, { rows: rowsOfIds({ ...page, ids: JSON.stringify(ids) }) });
    return pageOf(rows, size, false, undefined);
  }
  const { rows, rest } = await readBatch(database, { rows: rowsOfRange(page), rest: beforeRange({ before }) });
  return pageOf(rows, size, true, rest?.id ?? undefined);
}

/** `rest` is the newest customer that wasn't read. */
function pageOf(
  found: readonly FoundCustomer[],
  size: number,
  isScan: boolean,
  rest: CustomerId | undefined,
): CustomerPage {
  const rows = found.slice(0, size);
  const last = rows.at(-1);
  const next = last !== undefined && last.picked > rows.length ? last.id : rest && rest + 1;
  return { rows: rows.map(viewOf), next: next === undefined ? undefined : { isScan, before: next } };
}

function viewOf({ confirmedAt, firstAttributedSaleAt, picked: _, ...row }: FoundCustomer): CustomerView {
  const locked = confirmedAt !== null && (isFinalAtOnce(row.source) || firstAttributedSaleAt !== null);
  return { ...row, locked };
}

const valuesOf = (book: Book, { text, ...filter }: CustomerFilter): Filter => ({
  ...book,
  customerKey: filter.customerKey ?? null,
  codeKey: filter.codeKey ?? null,
  source: filter.source ?? null,
  isAttributed: filter.isAttributed ?? null,
  from: filter.from ?? null,
  to: filter.to ?? null,
  hasSale: filter.hasSale ?? null,
  q: text?.q ?? null,
  address: text?.address ?? null,
  emailHash: text?.emailHash ?? null,
});
