import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { erasedClickHeads } from "#domain/erasure.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { Database } from "./database.ts";
import { auditEntries } from "./schema/audit.ts";
import { claims } from "./schema/claims.ts";
import { clickEventIds, clicks } from "./schema/clicks.ts";
import { commissionSignals } from "./schema/commission-signals.ts";
import { commissions } from "./schema/commissions.ts";
import { customerClicks, customers } from "./schema/customers.ts";
import { leads } from "./schema/leads.ts";
import { notes } from "./schema/notes.ts";
import { refunds } from "./schema/refunds.ts";
import { sales } from "./schema/sales.ts";
import { type Compiler, given, type Read, readAll, readCount, unencoded } from "./statement.ts";

const listed = (name: string): SQL => sql`(select value from json_each(${unencoded(name)}))`;

/** Selects the rows of a person. All fields are JSON arrays, except `programId`, `most` and `withShared`. */
export interface PersonRows {
  readonly programId: ProgramId;
  readonly customerIds: string;
  /** Customers whose rows are read. At most `most` sales and clicks that aren't erased yet are read. */
  readonly eachOf: string;
  readonly most: number;
  /** Customers erased earlier. Notes written about them since then are included. */
  readonly notedOf: string;
  /** Identifiers in leads that have no customer. */
  readonly leadNames: string;
  readonly clickIds: string;
  /** If true, includes clicks that were reported for other customers too. */
  readonly withShared: boolean;
}

const ofCustomers = listed("customerIds");
/**
 * True if the click was also reported for another customer who isn't erased. The click is then erased with the last of
 * the customers for whom it was reported.
 */
const isOfOthers = (clickId: SQL): SQL => sql`(not ${unencoded("withShared")} and exists (
  select 1 from customer_clicks h join customers o on o.id = h.customer_id
  where h.click_id = ${clickId} and not o.is_erased and o.id not in ${ofCustomers} and o.id not in ${listed("eachOf")}))`;
/** Limited in the order of the index, so that SQLite reads no other rows. */
const saleIds = sql`(
  select s.id from sales s where s.customer_id in ${listed("eachOf")} and not s.is_erased
  order by s.customer_id, s.occurred_at, s.id limit ${unencoded("most")})`;
const commissionIds = sql`(select c.id from commissions c where c.sale_id in ${saleIds})`;
const [firstErasedHead, lastErasedHead] = erasedClickHeads;
const isErasedClick = (id: string): SQL =>
  sql.raw(`substr(${id}, 1, ${firstErasedHead.length}) between '${firstErasedHead}' and '${lastErasedHead}'`);
const shownClickIds = sql`(
  select k.click_id from customer_clicks k where k.customer_id in ${listed("eachOf")} and not ${isErasedClick("k.click_id")}
  order by k.customer_id, k.click_id limit ${unencoded("most")})`;
/** Includes leads without a customer: those that a browser reported and that attributed none. */
const leadIds = sql`(
  select l.id from leads l where l.customer_id in ${ofCustomers}
  union select l.id from leads l where l.program_id = ${unencoded("programId")} and l.is_test in (0, 1)
    and l.unsettled_key in ${listed("leadNames")}
  union select l.id from leads l where +l.program_id = ${unencoded("programId")} and l.customer_id is null
    and l.click_id in (select click_id from ${shownClickIds}) and l.customer_key is null
    and not ${isOfOthers(sql`l.click_id`)})`;
const clickIds = sql`(select m.click_id from (
  select click_id from ${shownClickIds}
  union select c.click_id from customers c where c.id in ${ofCustomers}
  union select l.click_id from leads l where l.id in ${leadIds}
  union select s.sent_click_id from sales s where s.id in ${saleIds}
  union select value from json_each(${unencoded("clickIds")})) m
  where m.click_id is not null and not ${isOfOthers(sql`m.click_id`)})`;
/** All versions of the sales, including versions that belong to another customer. */
const versionIds = sql`(
  select coalesce(s.corrected_sale_id, s.id) from sales s where s.id in ${saleIds}
  union select v.id from sales s join sales v on v.corrected_sale_id = coalesce(s.corrected_sale_id, s.id)
  where s.id in ${saleIds})`;
const subjects = sql`(
  select 'customer ' || value from json_each(${unencoded("customerIds")})
  union all select 'sale ' || id from ${saleIds}
  union all select 'commission ' || id from ${commissionIds}
  union all select 'claim ' || k.id from ${claims} k where k.sale_id in ${versionIds})`;
const isOfOther = (sale: "f" | "n"): SQL => sql`coalesce(${sql.raw(sale)}.customer_id, 0) not in ${listed("eachOf")}`;
/** Sales that a correction moved from or to this customer. */
const copyIds = sql`(
  select n.id from sales s join sales n on n.corrected_sale_id = coalesce(s.corrected_sale_id, s.id)
  where s.id in ${saleIds} and ${isOfOther("n")}
  union select f.id from sales s join sales f on f.id = s.corrected_sale_id where s.id in ${saleIds} and ${isOfOther("f")})`;
const entryIds = sql`(
  select a.id from audit_entries a where a.program_id = ${unencoded("programId")} and a.subject in ${subjects}
  union select a.id from audit_entries a where a.program_id = ${unencoded("programId")} and +a.action = 'sale.corrected'
    and a.subject in (select 'sale ' || id from ${copyIds}))`;
const namedNotes = sql`json_tree(coalesce(a.after, '{}')) t on t.key = 'note' and t.type = 'integer'`;
const laterSubjects = sql`(
  select 'customer ' || value from json_each(${unencoded("notedOf")})
  union all select 'sale ' || s.id from sales s where s.customer_id in ${listed("notedOf")}
  union all select 'commission ' || c.id from sales s join commissions c on c.sale_id = s.id
    where s.customer_id in ${listed("notedOf")}
  union all select 'claim ' || k.id from sales s join ${claims} k on k.sale_id = s.id
    where s.customer_id in ${listed("notedOf")})`;
const laterNoteIds = sql`(
  select n.id from audit_entries a join ${namedNotes} join notes n on n.id = t.value
  where a.program_id = ${unencoded("programId")} and a.subject in ${laterSubjects} and n.text is not null)`;
const noteIds = sql`(
  select t.value from audit_entries a join ${namedNotes} where a.id in ${entryIds}
  union select g.note_id from commission_signals g where g.commission_id in ${commissionIds}
  union select id from ${laterNoteIds})`;

type Values = PersonRows & Record<string, unknown>;

/** The number of rows that a `PersonRows` selects. */
export const personSize = readCount<Values>((db) =>
  db.select({ n: sql<number>`count(*)` }).from(sql`(
    select id from ${saleIds} union all select id from ${commissionIds}
    union all select id from refunds where sale_id in ${saleIds}
    union all select commission_id from commission_signals where commission_id in ${commissionIds}
    union all select id from ${leadIds} union all select id from ${entryIds}
    union all select id from clicks where click_id in ${clickIds} and +program_id = ${unencoded("programId")}
    union all select click_id from ${shownClickIds}
    union all select value from json_each(${unencoded("customerIds")}) union all select id from ${laterNoteIds}
  )`),
);

type AnyTable = SQLiteTable & { readonly $inferSelect: object };
export type Position = number | string;
/** The position from which the first page is read. */
export const startPosition: Position = 0;

type PageValues = Values & { readonly after: Position; readonly limit: number };

/** Returns two reads of a table: all rows, and one page in the order of the columns that identify a row. */
function rowsWhere<Table extends AnyTable>(
  table: Table,
  condition: SQL,
  [first, ...others]: readonly [keyof Table["$inferSelect"] & string, ...(keyof Table["$inferSelect"] & string)[]],
) {
  const columns = getTableColumns(table as SQLiteTable);
  const position = others.reduce((text, name) => sql`${text} || ' ' || ${columns[name]}`, sql`${columns[first]}`);
  const from = (db: Compiler, where: SQL) =>
    db
      .select()
      .from(table as SQLiteTable)
      .where(where);
  return {
    all: readAll<Values, Table["$inferSelect"]>((db) => from(db, condition)),
    page: readAll<PageValues, Table["$inferSelect"]>((db) =>
      from(db, sql`${condition} and ${position} > ${unencoded("after")}`)
        .orderBy(position)
        .limit(given("limit")),
    ),
    positionOf: (row: object): Position => {
      const values = [first, ...others].map((name) => positionPart(Reflect.get(row, name)));
      return values.length === 1 ? (values[0] ?? startPosition) : values.join(" ");
    },
  };
}

const positionPart = (value: Position | boolean): Position => (typeof value === "boolean" ? Number(value) : value);

/** The unary plus keeps SQLite from scanning all rows of the program. */
const ofProgram = <Table extends AnyTable & { readonly programId: SQLiteColumn }>(
  table: Table,
  condition: SQL,
  ...names: Parameters<typeof rowsWhere<Table>>[2]
) => rowsWhere(table, sql`${condition} and +${table.programId} = ${unencoded("programId")}`, names);

/** Repeats two columns outside the row value. With the row value alone, SQLite would scan all rows of the program. */
export const isEventOf = (eventIds: SQL): SQL => sql`is_test in (0, 1) and event_id in ${eventIds}`;

/**
 * All tables with data about a customer, in the order in which they are erased. Each has the condition that finds the
 * customer's rows.
 */
const reads = {
  sales: ofProgram(sales, sql`${sales.id} in ${saleIds}`, "id"),
  commissions: ofProgram(commissions, sql`${commissions.id} in ${commissionIds}`, "id"),
  refunds: ofProgram(refunds, sql`${refunds.saleId} in ${saleIds}`, "id"),
  commissionSignals: ofProgram(
    commissionSignals,
    sql`${commissionSignals.commissionId} in ${commissionIds}`,
    "commissionId",
    "code",
    "raisedAt",
  ),
  leads: ofProgram(leads, sql`${leads.id} in ${leadIds}`, "id"),
  clicks: ofProgram(clicks, sql`${clicks.clickId} in ${clickIds}`, "id"),
  clickEventIds: rowsWhere(
    clickEventIds,
    sql`program_id = ${unencoded("programId")} and ${isEventOf(sql`(select k.event_id from clicks k where k.click_id in ${clickIds})`)}
      and (program_id, is_test, event_id, link_id) in (
        select k.program_id, k.is_test, k.event_id, coalesce(k.link_id, 0) from clicks k
        where k.click_id in ${clickIds} and k.event_id is not null)`,
    ["isTest", "linkId", "eventId"],
  ),
  customerClicks: rowsWhere(
    customerClicks,
    sql`${customerClicks.customerId} in ${listed("eachOf")} and ${customerClicks.clickId} in ${shownClickIds}`,
    ["customerId", "clickId"],
  ),
  auditEntries: ofProgram(auditEntries, sql`${auditEntries.id} in ${entryIds}`, "id"),
  notes: ofProgram(notes, sql`${notes.id} in ${noteIds}`, "id"),
  customers: ofProgram(customers, sql`${customers.id} in ${ofCustomers}`, "id"),
} as const;

export type PersonTable = keyof typeof reads;
export const personTables = Object.keys(reads) as readonly PersonTable[];
type RowOf<Table extends PersonTable> =
  ReturnType<(typeof reads)[Table]["all"]> extends Read<(infer Row)[]> ? Row : never;
/** Rows of other customers that contain the person's data, and the ids of clicks that belong only to the person. */
const besides = {
  ownClicks: readAll<Values, { readonly clickId: string }>((db) =>
    db.select({ clickId: sql<string>`click_id` }).from(clickIds),
  ),
  copies: ofProgram(sales, sql`${sales.id} in ${copyIds}`, "id").all,
  commissionsOfCopies: ofProgram(commissions, sql`${commissions.saleId} in ${copyIds}`, "id").all,
  refundsOfCopies: ofProgram(refunds, sql`${refunds.saleId} in ${copyIds}`, "id").all,
};
type Besides = typeof besides;

export type Person = { readonly [Table in PersonTable]: readonly RowOf<Table>[] } & {
  readonly [Name in keyof Besides]: Besides[Name] extends (values: Values) => Read<infer Rows> ? Rows : never;
};
export type Unread = { readonly [Name in keyof Person]?: Person[Name] | undefined };

const personNames = [...personTables, ...(Object.keys(besides) as (keyof Besides)[])];

export const isRead = <Found extends Unread>(found: Found): found is Found & Person =>
  personNames.every((name) => found[name] !== undefined);

const readEach = <Reads extends Readonly<Record<string, (values: Values) => unknown>>>(each: Reads, values: Values) =>
  Object.fromEntries(Object.entries(each).map(([name, read]) => [name, read(values)])) as {
    [Name in keyof Reads]: ReturnType<Reads[Name]>;
  };

export const personReads = (asked: PersonRows) => ({
  ...(Object.fromEntries(Object.entries(reads).map(([name, { all }]) => [name, all({ ...asked })])) as {
    [Table in PersonTable]: ReturnType<(typeof reads)[Table]["all"]>;
  }),
  ...readEach(besides, { ...asked }),
});

/** Returns a page of a table's rows and the position of its last row. The position is undefined on the last page. */
export async function readPersonPage(
  database: Pick<Database, "read">,
  table: PersonTable,
  page: { readonly asked: PersonRows; readonly after: Position; readonly limit: number },
): Promise<{ readonly rows: readonly object[]; readonly next: Position | undefined }> {
  const { asked, after, limit } = page;
  const read: Read<readonly object[]> = reads[table].page({ ...asked, after, limit });
  const [found = []] = await database.read([read]);
  const rows = read.decode(found);
  const last = rows.length < limit ? undefined : rows.at(-1);
  return { rows, next: last && reads[table].positionOf(last) };
}
