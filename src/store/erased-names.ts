import { sql } from "drizzle-orm";
import { subscriberOf } from "./customers.ts";
import { param, readFirst } from "./statement.ts";

/** What a call names, and the digests that an erasure may have put in its place. Null: the call names none. */
export interface NamesAsked extends Record<string, unknown> {
  readonly programId: number;
  readonly isTest: boolean;
  readonly erasedTransactionId: string;
  readonly transactionId: string;
  readonly erasedRefundId: string | null;
  readonly subscriptionId: string | null;
  readonly erasedSubscriptionId: string | null;
  readonly customerKey: string | null;
  readonly keyDigest: string | null;
}

export interface ErasedNames {
  /** A sale has the id as it was sent, though it may contain the key: nobody knew when it was told. */
  readonly isTransactionKept: boolean;
  readonly isTransactionErased: boolean;
  readonly isRefundErased: boolean;
  readonly isSubscriptionErased: boolean;
  /** Nobody has the key now, but somebody had who was erased. */
  readonly isKeyErased: boolean;
  /** Of the customer whose subscription it is. */
  readonly keyOfSubscriber: string | null;
}

const ofBook = (table: string) =>
  sql.raw(`${table}.program_id = wanted.program_id and ${table}.is_test = wanted.is_test`);
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
      isRefundErased: sql<boolean>`exists (
        select 1 from sales s join refunds r on r.sale_id = s.id
        where ${ofBook("s")} and s.transaction_id in (wanted.transaction_id, wanted.erased_transaction)
          and r.refund_id = wanted.erased_refund)`.mapWith(Boolean),
      isSubscriptionErased: sql<boolean>`exists (
        select 1 from sales s where ${ofBook("s")} and s.subscription_id = wanted.erased_subscription
        union all select 1 from customers c where ${ofBook("c")} and c.imported_subscription_id = wanted.erased_subscription
      )`.mapWith(Boolean),
      isKeyErased: sql<boolean>`exists (
        select 1 from erased_identifiers i where i.program_id = wanted.program_id and i.digest = wanted.key_digest
      ) and not exists (
        select 1 from customers c where ${ofBook("c")} and c.customer_key = wanted.customer_key
      )`.mapWith(Boolean),
      keyOfSubscriber: sql<string | null>`(
        select c.customer_key from customers c
        where c.id = coalesce(${wantedSubscriber("subscription")}, ${wantedSubscriber("erased_subscription")}))`,
    })
    .from(sql`(select ${param("programId")} as program_id, ${param("isTest")} as is_test,
      ${param("transactionId")} as transaction_id, ${param("erasedTransactionId")} as erased_transaction,
      ${param("erasedRefundId")} as erased_refund, ${param("subscriptionId")} as subscription,
      ${param("erasedSubscriptionId")} as erased_subscription, ${param("customerKey")} as customer_key,
      ${param("keyDigest")} as key_digest) as wanted`),
);
