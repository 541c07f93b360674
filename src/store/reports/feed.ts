import { type SQL, sql } from "drizzle-orm";
import type { Book } from "#domain/book.ts";
import type { StoredEvent } from "#domain/event.ts";
import type { EventType } from "#domain/event-type.ts";
import { type Database, readBatch } from "../database.ts";
import { applications } from "../schema/applications.ts";
import { claims } from "../schema/claims.ts";
import { commissions } from "../schema/commissions.ts";
import { customers } from "../schema/customers.ts";
import { events } from "../schema/events.ts";
import { leads } from "../schema/leads.ts";
import { partners, referralLinks } from "../schema/partners.ts";
import { payoutLines, payouts } from "../schema/payouts.ts";
import { refunds } from "../schema/refunds.ts";
import { sales } from "../schema/sales.ts";
import { webhooks } from "../schema/webhooks.ts";
import { given, readAll, readFirst, unencoded } from "../statement.ts";

/** The number of events that are scanned for a call that requests certain types. Only matching events are returned. */
const maxScanned = 5_000;
/**
 * Size limit of a page in bytes, so that the database's response, with escaping and other fields, stays below 10 MB. A
 * single larger event is returned alone.
 */
const maxItemBytes = 3_000_000;

/** Restricts the joined row to the event's program. */
const isOfProgram = (alias: string): SQL => sql.raw(`${alias}.program_id = e.program_id`);

const keyOf = (customerId: SQL): SQL =>
  sql`(select u.customer_key from ${customers} u where u.id = ${customerId} and ${isOfProgram("u")})`;

const codeOf = (partnerId: SQL): SQL =>
  sql`(select link.code from ${referralLinks} link where link.partner_id = ${partnerId} and ${isOfProgram("link")} order by link.id limit 1)`;

type Fields = Readonly<Record<string, SQL | (typeof leads)["id"]>>;

/** `alias` is the alias of the subject's table. */
const objectOf = (fields: Fields, from: SQL, alias: string): SQL => {
  const pairs = Object.entries(fields).map(([name, value]) => sql`${sql.raw(`'${name}'`)}, ${value}`);
  const isSubject = sql`${raw(`${alias}.id`)} = e.subject and ${isOfProgram(alias)}`;
  return sql`(select json_object(${sql.join(pairs, sql`, `)}) from ${from} where ${isSubject})`;
};
const raw = (columns: string): SQL => sql.raw(columns);
const fieldsOf = (alias: string, ...names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, raw(`${alias}.${name}`)]));

const soldFields: Fields = {
  transaction_id: raw("s.transaction_id"),
  customer_key: sql`coalesce(s.sent_customer_key, ${keyOf(raw("s.customer_id"))})`,
};

const lineFields: Fields = {
  line_id: raw("n.id"),
  payout_id: raw("n.payout_id"),
  reference: raw("p.reference"),
  partner_id: raw("n.partner_id"),
  partner_code: codeOf(raw("n.partner_id")),
  ...fieldsOf("n", "amount_cents", "currency"),
};
const ofLine = sql`${payoutLines} n join ${payouts} p on p.id = n.payout_id and ${isOfProgram("p")}`;

const salesTypes: readonly EventType[] = ["sale.recorded", "sale.updated"];

/**
 * Event types, and the object that their events contain. The fields of `notedFields` are missing here: the event itself
 * stores them.
 */
const objects: readonly { readonly types: readonly EventType[]; readonly object: SQL }[] = [
  {
    types: ["lead.recorded"],
    object: objectOf(
      { lead_id: raw("l.id"), ...fieldsOf("l", "customer_key", "click_id", "event_name", "occurred_at") },
      sql`${leads} l`,
      "l",
    ),
  },
  {
    types: ["lead.moved"],
    object: objectOf(
      {
        lead_id: sql`(select l.id from ${leads} l where l.customer_id = u.id and ${isOfProgram("l")})`,
        ...fieldsOf("u", "customer_key", "source"),
      },
      sql`${customers} u`,
      "u",
    ),
  },
  {
    types: salesTypes,
    object: objectOf(
      {
        sale_id: raw("s.id"),
        ...soldFields,
        ...fieldsOf("s", "amount_cents", "currency", "sale_type", "subscription_id", "product_id", "event_name"),
        items: raw("json(s.items)"),
        occurred_at: raw("s.occurred_at"),
      },
      sql`${sales} s`,
      "s",
    ),
  },
  {
    types: ["refund.recorded", "refund.updated"],
    object: objectOf(
      {
        ...fieldsOf("r", "refund_id", "sale_id"),
        ...soldFields,
        ...fieldsOf("r", "refunded_cents", "refunded_total_cents", "currency", "occurred_at"),
      },
      sql`${refunds} r join ${sales} s on s.id = r.sale_id and ${isOfProgram("s")}`,
      "r",
    ),
  },
  {
    types: ["commission.created", "commission.updated"],
    object: objectOf(
      { commission_id: raw("c.id"), sale_id: raw("c.sale_id"), ...soldFields, currency: raw("s.currency") },
      sql`${commissions} c join ${sales} s on s.id = c.sale_id and ${isOfProgram("s")}`,
      "c",
    ),
  },
  {
    types: ["payout.finalized", "payout.confirmed", "payout.canceled"],
    object: objectOf(
      { payout_id: raw("p.id"), ...fieldsOf("p", "reference", "currency", "total_cents", "line_count", "settled_by") },
      sql`${payouts} p`,
      "p",
    ),
  },
  { types: ["payout.line_failed"], object: objectOf(lineFields, ofLine, "n") },
  {
    types: ["payout.line_settled"],
    object: objectOf({ ...lineFields, ...fieldsOf("n", "settlement_id", "settled_at") }, ofLine, "n"),
  },
  {
    types: ["partner.created", "partner.updated"],
    object: objectOf(
      { partner_id: raw("p.id"), partner_code: codeOf(raw("p.id")), name: raw("p.name") },
      sql`${partners} p`,
      "p",
    ),
  },
  {
    types: ["webhook.disabled"],
    object: objectOf({ webhook_id: raw("w.id"), url: raw("w.url") }, sql`${webhooks} w`, "w"),
  },
  {
    types: ["partner.applied"],
    object: objectOf({ application_id: raw("a.id"), ...fieldsOf("a", "name", "website") }, sql`${applications} a`, "a"),
  },
  {
    types: ["partner.claim_opened"],
    object: objectOf(
      {
        claim_id: raw("k.id"),
        partner_id: raw("k.partner_id"),
        partner_code: codeOf(raw("k.partner_id")),
        ...fieldsOf("k", "day", "amount_cents", "currency"),
      },
      sql`${claims} k`,
      "k",
    ),
  },
];

const typed = (types: readonly EventType[]): SQL => raw(`(${types.map((type) => `'${type}'`).join(", ")})`);

const object = sql<StoredEvent["object"]>`case ${sql.join(
  objects.map((each) => sql`when e.type in ${typed(each.types)} then ${each.object}`),
  sql` `,
)} end`.mapWith((json: string) => JSON.parse(json));

const decodedArray = (json: string) => JSON.parse(json) as readonly unknown[];

const partnerTypes = objects
  .flatMap(({ types }) => types)
  .filter((type) => /^(lead|sale|refund|commission)/.test(type));

const feedColumns = {
  seq: sql<number>`e.seq`,
  at: sql<number>`e.at`,
  type: sql<EventType>`e.type`,
  subject: sql<number>`e.subject`,
  before: sql<StoredEvent["before"]>`e.before`.mapWith(decodedArray),
  after: sql<StoredEvent["after"]>`e.after`.mapWith(decodedArray),
  object,
  partnerCode: sql<string | null>`iif(e.type in ${typed(partnerTypes)}, ${codeOf(raw("e.after ->> 0"))}, null)`,
};

/**
 * An element of `types` is an event type, or a type with the subject's status (`commission.updated:approved`). Null
 * matches all.
 */
const isWanted = sql`(${unencoded("types")} is null or e.type in (select value from json_each(${unencoded("types")}))
  or e.type || ':' || (e.after ->> 1) in (select value from json_each(${unencoded("types")})))`;

type Range = { programId: number; isTest: boolean; after: number };

const inRange = sql`r.program_id = ${unencoded("programId")} and r.is_test = ${unencoded("isTest")} and r.seq > ${unencoded("after")}`;

const itemBytes = sql`(select length(cast(s.items as blob)) from ${sales} s where e.type in ${typed(salesTypes)} and s.id = e.subject)`;

interface Wanted extends StoredEvent {
  /** The last sequence number of the page before the size limit applies. */
  readonly lastSeq: number;
}

const wantedEvents = readAll<Range & { limit: number; scanned: number; types: string | null }, Wanted>((db) =>
  db
    .select({ ...feedColumns, lastSeq: sql<number>`e.last_seq` })
    .from(
      sql`(
        select p.*, max(p.seq) over () as last_seq,
          sum(p.item_bytes) over (order by p.seq rows between unbounded preceding and current row) as bytes,
          min(p.seq) over () as first_seq
        from (
          select e.*, ${itemBytes} as item_bytes
          from (select * from ${events} r where ${inRange} order by r.seq limit ${unencoded("scanned")}) e
          where ${isWanted} order by e.seq limit ${given("limit")}
        ) p
      ) e`,
    )
    .where(sql`coalesce(e.bytes, 0) <= ${sql.raw(String(maxItemBytes))} or e.seq = e.first_seq`)
    .orderBy(sql`e.seq`),
);

interface Ends {
  readonly oldestSeq: number | null;
  /** A reader that has read up to this sequence number hasn't missed an event. */
  readonly beforeOldest: number | null;
  readonly newestSeq: number | null;
  /** The sequence number of the last scanned event. */
  readonly scannedSeq: number | null;
}

const noEnds: Ends = { oldestSeq: null, beforeOldest: null, newestSeq: null, scannedSeq: null };

const ofBook = sql`program_id = ${unencoded("programId")} and is_test = ${unencoded("isTest")}`;

const ends = readFirst<Range & { scanned: number }, Ends>((db) =>
  db
    .select({
      oldestSeq: sql<number | null>`(select min(seq) from ${events} where ${ofBook})`,
      beforeOldest: sql<number | null>`(select iif(type = 'feed.restarted', before ->> 0, seq - 1) from ${events}
        where ${ofBook} order by seq limit 1)`,
      newestSeq: sql<number | null>`(select max(seq) from ${events} where ${ofBook})`,
      scannedSeq: sql<number | null>`(select max(seq) from (
        select r.seq from ${events} r where ${inRange} order by r.seq limit ${unencoded("scanned")}))`,
    })
    .from(sql`(select 1)`),
);

export interface FeedQuery {
  /** Undefined starts at the oldest stored event. */
  readonly after?: number | undefined;
  readonly limit: number;
  readonly types?: readonly string[] | undefined;
}

export interface FeedPage {
  readonly events: readonly StoredEvent[];
  /** 0 if the book has no events. */
  readonly oldestSeq: number;
  /** A reader that has read up to this sequence number hasn't missed an event. */
  readonly beforeOldest: number;
  readonly newestSeq: number;
  /** The value of `after` for the next page. */
  readonly nextAfter: number;
}

/** Returns events by sequence number, lowest first. Makes one database request. */
export async function readFeed(database: Database, book: Book, query: FeedQuery): Promise<FeedPage> {
  const { programId, isTest } = book;
  const { after = 0, limit } = query;
  const types = query.types === undefined ? null : JSON.stringify(query.types);
  const scanned = types === null ? limit : maxScanned;
  const range = { programId, isTest, after };
  const read = { events: wantedEvents({ ...range, limit, scanned, types }), ends: ends({ ...range, scanned }) };
  const { events, ends: found } = await readBatch(database, read);
  const { oldestSeq, beforeOldest, newestSeq, scannedSeq } = found ?? noEnds;
  const end = events.at(-1);
  const isWhole = events.length < limit && end?.seq === end?.lastSeq;
  const last = isWhole ? scannedSeq : end?.seq;
  const known = { oldestSeq: oldestSeq ?? 0, beforeOldest: beforeOldest ?? 0, newestSeq: newestSeq ?? 0 };
  return { events, ...known, nextAfter: last ?? after };
}
