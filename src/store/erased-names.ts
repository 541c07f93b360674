import { sql } from "drizzle-orm";
import type { Book } from "#domain/book.ts";
import { digestsWithin, erasedDigest, erasedId } from "#domain/erasure.ts";
import { subscriberOf } from "./customers.ts";
import { newestIdOf } from "./sales.ts";
import { readFirst, unencoded } from "./statement.ts";

/**
 * Identifiers in a call, and the pseudonyms and digests that an erasure would have stored for them. Null for an
 * identifier that the call lacks.
 */
interface NamesAsked extends Record<string, unknown> {
  readonly programId: number;
  readonly isTest: boolean;
  readonly erasedTransactionId: string;
  readonly transactionId: string;
  readonly refundId: string | null;
  readonly erasedRefundId: string | null;
  readonly subscriptionId: string | null;
  readonly erasedSubscriptionId: string | null;
  readonly customerKey: string | null;
  readonly keyDigest: string | null;
  /** This and `nameDigests` are JSON arrays. */
  readonly clickIds: string;
  readonly nameDigests: string;
}

/** The identifiers in a call. */
export interface CallNames {
  readonly transactionId: string;
  readonly refundId?: string | null | undefined;
  readonly subscriptionId?: string | null;
  readonly customerKey?: string | null;
  readonly clicks?: readonly { readonly clickId: string }[];
}

/** The identifier that is new in this call. It may contain an identifier of an erased customer. */
const newId = ({ refundId, subscriptionId = null, transactionId }: CallNames): string =>
  refundId ?? (subscriptionId === null ? "" : transactionId);

export function namesAsked({ programId, isTest }: Book, call: CallNames, hashSecret: string): NamesAsked {
  const { transactionId, refundId = null, subscriptionId = null, customerKey = null, clicks = [] } = call;
  const secrets = { programId, hashSecret };
  return {
    programId,
    isTest,
    transactionId,
    refundId,
    subscriptionId,
    customerKey,
    erasedRefundId: refundId && erasedId(secrets, refundId),
    erasedTransactionId: erasedId(secrets, transactionId),
    erasedSubscriptionId: subscriptionId && erasedId(secrets, subscriptionId),
    keyDigest: customerKey && erasedDigest(secrets, customerKey),
    clickIds: JSON.stringify(clicks.map(({ clickId }) => clickId)),
    nameDigests: JSON.stringify(digestsWithin(secrets, newId(call))),
  };
}

/**
 * The identifiers of a call that were erased. `…Kept` means that a row has the id unchanged: the id may contain the key
 * of an erased customer, but that key wasn't known when the id was reported.
 */
export interface ErasedNames {
  readonly isTransactionKept: boolean;
  readonly isTransactionErased: boolean;
  /** Looked up in the newest version of the sale, because refunds are stored with that version. */
  readonly isRefundKept: boolean;
  readonly isRefundErased: boolean;
  readonly isSubscriptionErased: boolean;
  readonly isSaleErased: boolean;
  /** True if the key belonged to an erased customer. */
  readonly isKeyErased: boolean;
  /** True if the key belongs to a customer who isn't erased. */
  readonly isKeyKnown: boolean;
  readonly isClickKnown: boolean;
  readonly isSubscriberErased: boolean;
  /** True if one of the digests in `nameDigests` matches an erased customer. */
  readonly isNaming: boolean;
}

const isErasedDigest = (among: string) =>
  sql.raw(`exists (
    select 1 from erased_identifiers i where i.program_id = wanted.program_id and i.digest in ${among})`);

const ofBook = (table: string) =>
  sql.raw(`${table}.program_id = wanted.program_id and ${table}.is_test = wanted.is_test`);
const newestSale = (transactionId: string) =>
  newestIdOf({
    programId: sql.raw("wanted.program_id"),
    isTest: sql.raw("wanted.is_test"),
    transactionId: sql.raw(`wanted.${transactionId}`),
  });
const newestSales = sql`select ${newestSale("transaction_id")} union all select ${newestSale("erased_transaction")}`;

/** The sale with this transaction id, and its newest correction. */
const namedSales = sql`
  select o.id from sales o
  where ${ofBook("o")} and o.transaction_id in (wanted.transaction_id, wanted.erased_transaction)
  union all ${newestSales}`;

const wantedSubscriber = (subscriptionId: string) =>
  subscriberOf({
    programId: sql.raw("wanted.program_id"),
    isTest: sql.raw("wanted.is_test"),
    subscriptionId: sql.raw(`wanted.${subscriptionId}`),
  });

export const erasedNames = readFirst<NamesAsked, ErasedNames>((db) =>
  db
    .select({
      isTransactionKept: sql<boolean>`exists (
        select 1 from sales s where ${ofBook("s")} and s.transaction_id = wanted.transaction_id)`.mapWith(Boolean),
      isTransactionErased: sql<boolean>`exists (
        select 1 from sales s where ${ofBook("s")} and s.transaction_id = wanted.erased_transaction)`.mapWith(Boolean),
      isRefundKept: sql<boolean>`exists (
        select 1 from refunds r where r.sale_id in (${newestSales}) and r.refund_id = wanted.refund)`.mapWith(Boolean),
      isRefundErased: sql<boolean>`exists (
        select 1 from refunds r where r.sale_id in (${namedSales}) and r.refund_id = wanted.erased_refund)`.mapWith(
        Boolean,
      ),
      isSubscriptionErased: sql<boolean>`exists (
        select 1 from sales s where ${ofBook("s")} and s.subscription_id = wanted.erased_subscription
        union all select 1 from customers c where ${ofBook("c")} and c.imported_subscription_id = wanted.erased_subscription
      )`.mapWith(Boolean),
      isSaleErased: sql<boolean>`exists (
        select 1 from sales s left join customers c on c.id = s.customer_id
        where s.id in (${namedSales}) and (s.is_erased or c.is_erased))`.mapWith(Boolean),
      isKeyErased: sql<boolean>`${isErasedDigest("(wanted.key_digest)")}`.mapWith(Boolean),
      isKeyKnown: sql<boolean>`exists (
        select 1 from customers c where ${ofBook("c")} and c.customer_key = wanted.customer_key)`.mapWith(Boolean),
      isClickKnown: sql<boolean>`exists (
        select 1 from customer_clicks k join customers c on c.id = k.customer_id
        where k.click_id in (select value from json_each(wanted.click_ids)) and ${ofBook("c")} and not c.is_erased
      )`.mapWith(Boolean),
      isSubscriberErased: sql<boolean>`coalesce((
        select c.is_erased from customers c
        where c.id = coalesce(${wantedSubscriber("erased_subscription")}, ${wantedSubscriber("subscription")})
      ), 0)`.mapWith(Boolean),
      isNaming: sql<boolean>`${isErasedDigest("(select value from json_each(wanted.name_digests))")}`.mapWith(Boolean),
    })
    .from(sql`(select ${unencoded("programId")} as program_id, ${unencoded("isTest")} as is_test,
      ${unencoded("transactionId")} as transaction_id, ${unencoded("erasedTransactionId")} as erased_transaction,
      ${unencoded("refundId")} as refund, ${unencoded("erasedRefundId")} as erased_refund, ${unencoded("subscriptionId")} as subscription,
      ${unencoded("erasedSubscriptionId")} as erased_subscription, ${unencoded("customerKey")} as customer_key,
      ${unencoded("keyDigest")} as key_digest, ${unencoded("clickIds")} as click_ids,
      ${unencoded("nameDigests")} as name_digests) as wanted`),
);
