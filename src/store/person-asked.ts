import { eq, type SQL, sql } from "drizzle-orm";
import type { CustomerId, ProgramId } from "#domain/ids.ts";
import { type ErasureRow, runningWith } from "./erasures.ts";
import { customers } from "./schema/customers.ts";
import { given, readAll, readCount, unencoded } from "./statement.ts";

/** The identifiers in a request to erase or export a person's data. The request covers both books: live and test. */
export interface PersonAsked {
  readonly programId: ProgramId;
  /**
   * JSON array of keys under which callers may have reported the customer. For an email address, these are the address
   * as sent and the normalized one.
   */
  readonly keys: string;
  /** The address digest as stored with customers. Null if the request has no address. */
  readonly emailHash: string | null;
  readonly clickId: string | null;
  /** JSON array of the request's identifiers as digests, in the form that an erasure stores. */
  readonly digests: string;
}

export interface PersonFound {
  readonly id: CustomerId;
  readonly customerKey: string | null;
  readonly isErased: boolean;
  /** Customer keys that were reported with the customer's subscriptions and that no customer has. */
  readonly otherKeys: readonly string[];
  /** The customer's erasure that is still running. */
  readonly running: Pick<ErasureRow, "id" | "rows"> | null;
}

/** The request is refused if more customers than this share the address, because it would affect too many people. */
export const mostCustomers = 500;

/** Reads two rows, which is enough to find that there are several customers. */
const onlyHolder = (condition: SQL): SQL => sql`(
  select iif(count(*) = 1, max(h.customer_id), null) from (
    select k.customer_id from customer_clicks k where k.click_id = ${unencoded("clickId")} and ${condition} limit 2) h)`;

/**
 * A click identifies the only customer without a customer_key for whom it was reported. If there isn't exactly one, it
 * identifies the only customer for whom it was reported.
 */
const ofClick = sql`select coalesce(${onlyHolder(sql`k.is_nameless = 1`)}, ${onlyHolder(sql`true`)})`;

/** Counts the customers for whom the click was reported and who aren't erased. Stops at two. */
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

/**
 * Customer keys that were reported with the customers' subscriptions and that no customer has. `ofWhom` is an SQL
 * condition on the customer id.
 */
export const otherKeysOf = (ofWhom: string): string => `
  select distinct s.sent_customer_key as name from sales s
  where s.customer_id ${ofWhom} and s.is_other_key = 1 and not s.is_erased and not ${ownKey}`;

/** A customer key that no customer has identifies the customer with whose subscription it was reported. */
const ofOtherKey = sql`
  select s.customer_id from sales s where s.program_id = ${unencoded("programId")} and s.is_test in (0, 1)
    and s.is_other_key = 1 and s.sent_customer_key in ${keys} and not ${isOwnKey}
  union select s.customer_id from sales s indexed by sales_other_key
  where s.program_id = ${unencoded("programId")} and s.is_test in (0, 1)
    and s.is_other_key = 1 and lower(s.sent_customer_key) in ${keys} and ${isByAddress} and not ${isOwnKey}`;

/** Erased customers whose stored digests match. */
const ofDigests = sql`
  select i.value from erased_identifiers d join erasures e on e.id = d.erasure_id join json_each(e.customer_ids) i
  where d.program_id = ${unencoded("programId")} and d.digest in (select value from json_each(${unencoded("digests")}))`;

const parsed = <T>(text: SQL) => sql<T>`${text}`.mapWith((json: string) => JSON.parse(json) as T);

/** Customers who aren't erased come first. */
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

/** The customers to whom the identifiers refer. */
export const customersMeant = ({
  programId,
  keys,
  emailHash,
  clickId,
  digests,
}: Omit<PersonAsked, "keys"> & { readonly keys: readonly string[] }) =>
  customersAsked({ programId, keys: JSON.stringify(keys), emailHash, clickId, digests });
