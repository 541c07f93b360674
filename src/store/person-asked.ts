import { eq, type SQL, sql } from "drizzle-orm";
import type { CustomerId, ProgramId } from "#domain/ids.ts";
import { type ErasureRow, runningWith } from "./erasures.ts";
import { customers } from "./schema/customers.ts";
import { given, readAll, readCount, unencoded } from "./statement.ts";

/** As an erasure or an export is asked for. Of both books. */
export interface PersonAsked {
  readonly programId: ProgramId;
  /** A JSON array: as callers may have named the customer. Of an address, as it was sent and as it is compared. */
  readonly keys: string;
  /** As it is stored. Null: not asked by an address. */
  readonly emailHash: string | null;
  readonly clickId: string | null;
  /** A JSON array: of what is asked by, as an erasure keeps them. */
  readonly digests: string;
}

export interface PersonFound {
  readonly id: CustomerId;
  readonly customerKey: string | null;
  readonly isErased: boolean;
  /** Sent with their subscription, and nobody else's. */
  readonly otherKeys: readonly string[];
  /** The erasure that still goes on with them. */
  readonly running: Pick<ErasureRow, "id" | "rows"> | null;
}

/** Of whom more share an address, one call means too many at once. */
export const mostCustomers = 500;

/** Two are enough to know of several. */
const onlyHolder = (condition: SQL): SQL => sql`(
  select iif(count(*) = 1, max(h.customer_id), null) from (
    select k.customer_id from customer_clicks k where k.click_id = ${unencoded("clickId")} and ${condition} limit 2) h)`;

/** A click names the one customer without a key who showed it, or else the only one. */
const ofClick = sql`select coalesce(${onlyHolder(sql`k.is_nameless = 1`)}, ${onlyHolder(sql`true`)})`;

/** Of customers who aren't erased and showed a click: up to two. */
export const clickHolders = readCount<Pick<PersonAsked, "programId"> & { clickId: string }>((db) =>
  db.select({ n: sql<number>`count(*)` }).from(sql`(
    select 1 from customer_clicks k join customers c on c.id = k.customer_id
    where k.click_id = ${unencoded("clickId")} and c.program_id = ${unencoded("programId")} and not c.is_erased limit 2)`),
);

const keys = sql`(select value from json_each(${unencoded("keys")}))`;
const isByAddress = sql`${unencoded("emailHash")} is not null`;

const ofKey = sql`
  select c.id from customers c where c.program_id = ${unencoded("programId")} and c.is_test in (0, 1) and c.customer_key in ${keys}`;

const ofAddress = sql`
  select c.id from customers c where c.program_id = ${unencoded("programId")} and c.is_test in (0, 1)
    and c.email_hash = ${unencoded("emailHash")}
  union select c.id from customers c indexed by customers_email_key
  where c.program_id = ${unencoded("programId")} and c.is_test in (0, 1)
    and instr(c.customer_key, '@') > 1 and c.customer_key <> lower(c.customer_key)
    and lower(c.customer_key) in ${keys} and ${isByAddress}`;

const ownKey = `exists (
  select 1 from customers o where o.program_id = s.program_id and o.is_test = s.is_test and o.customer_key = s.sent_customer_key)`;
const isOwnKey = sql.raw(ownKey);

/** Keys that came with the subscriptions of customers, and are nobody's. `ofWhom`: a condition of the column before it. */
export const otherKeysOf = (ofWhom: string): string => `
  select distinct s.sent_customer_key as name from sales s
  where s.customer_id ${ofWhom} and s.is_other_key = 1 and not s.is_erased and not ${ownKey}`;

/** A key that nobody has names the customer with whose subscription it came. */
const ofOtherKey = sql`
  select s.customer_id from sales s where s.program_id = ${unencoded("programId")} and s.is_test in (0, 1)
    and s.is_other_key = 1 and s.sent_customer_key in ${keys} and not ${isOwnKey}
  union select s.customer_id from sales s indexed by sales_other_key
  where s.program_id = ${unencoded("programId")} and s.is_test in (0, 1)
    and s.is_other_key = 1 and lower(s.sent_customer_key) in ${keys} and ${isByAddress} and not ${isOwnKey}`;

/** Who was erased, by what an erasure keeps of it. */
const ofDigests = sql`
  select i.value from erased_identifiers d join erasures e on e.id = d.erasure_id join json_each(e.customer_ids) i
  where d.program_id = ${unencoded("programId")} and d.digest in (select value from json_each(${unencoded("digests")}))`;

const parsed = <T>(text: SQL) => sql<T>`${text}`.mapWith((json: string) => JSON.parse(json) as T);

/** Those who aren't erased come first. */
export const customersAsked = readAll<PersonAsked & Record<string, unknown>, PersonFound>((db) =>
  db
    .select({
      id: customers.id,
      customerKey: customers.customerKey,
      isErased: customers.isErased,
      otherKeys: parsed<readonly string[]>(sql`(
        select json_group_array(name) from (${sql.raw(otherKeysOf("= customers.id"))}))`),
      running: parsed<PersonFound["running"]>(sql`iif(${customers.isErased}, (
        select json_object('id', e.id, 'rows', e.rows) from ${runningWith(customers.programId, customers.id)} limit 1), null)`),
    })
    .from(customers)
    .where(
      sql`${customers.id} in (${ofKey} union ${ofAddress} union ${ofOtherKey} union ${ofClick} union ${ofDigests})
        and ${eq(customers.programId, given("programId"))}`,
    )
    .orderBy(customers.isErased, customers.id)
    .limit(2 * mostCustomers),
);

/** Whom a call means. */
export const customersMeant = ({
  programId,
  keys,
  emailHash,
  clickId,
  digests,
}: Omit<PersonAsked, "keys"> & { readonly keys: readonly string[] }) =>
  customersAsked({ programId, keys: JSON.stringify(keys), emailHash, clickId, digests });
