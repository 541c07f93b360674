import { type SQL, sql } from "drizzle-orm";
import { duplicateWithinMs, idKinds } from "#domain/risk.ts";
import { customers } from "./schema/customers.ts";
import { programs } from "./schema/programs.ts";
import { sales } from "./schema/sales.ts";

/** Columns of a sale. `idKind` is the kind of its transaction id. `corrects` is the sale that it replaces. */
export const bySale = ["amountCents", "currency", "occurredAt", "transactionId", "idKind", "corrects"] as const;
type BySale = Readonly<Record<(typeof bySale)[number], SQL>>;

const most = { sameAddress: 20, nearby: 200 };
const within = sql.raw(String(duplicateWithinMs));
const kindOf = (id: SQL): SQL =>
  sql`iif(substr(${id}, 1, 3) in (${sql.raw(idKinds.map((kind) => `'${kind}'`).join(", "))}), substr(${id}, 1, 3), '')`;

/**
 * An earlier or later sale that this sale may duplicate. It belongs to the same customer, or to a customer with the
 * same address. Sales with another kind of transaction id are preferred. Reads a limited number of rows.
 */
export const nearbySale = (key: BySale, condition = sql`1 = 1`): SQL => sql`(
  select json_object('saleId', nearby.id, 'transactionId', nearby.transaction_id, 'occurredAt', nearby.occurred_at) from (
    select s.*, ${kindOf(sql`s.transaction_id`)} <> ${key.idKind} as is_of_other_kind from ${sales} s
    where s.customer_id in (
      select ${customers.id} union all select * from (
        select o.id from ${customers} o where o.program_id = ${customers.programId} and o.is_test = ${customers.isTest}
          and o.email_hash = ${customers.emailHash} limit ${sql.raw(String(most.sameAddress))})
    ) and s.occurred_at between ${key.occurredAt} - ${within} and ${key.occurredAt} + ${within}
    limit ${sql.raw(String(most.nearby))}
  ) nearby
  where nearby.amount_cents = ${key.amountCents} and nearby.transaction_id <> ${key.transactionId}
    and nearby.currency = coalesce(${key.currency}, (select p.currency from ${programs} p where p.id = ${customers.programId}))
    and nearby.refunded_cents < nearby.amount_cents and coalesce(nearby.corrected_sale_id, nearby.id) is not ${key.corrects}
    and ${condition}
  order by nearby.is_of_other_kind desc, nearby.occurred_at desc limit 1)`;

/**
 * For a recorded sale: only a sale recorded before it. If one payment was recorded twice, only the second record is
 * suspicious.
 */
export const nearbyEarlierSale = sql`(
  select ${nearbySale(
    {
      amountCents: sql`${sales.amountCents}`,
      currency: sql`${sales.currency}`,
      occurredAt: sql`${sales.occurredAt}`,
      transactionId: sql`${sales.transactionId}`,
      idKind: kindOf(sql`${sales.transactionId}`),
      corrects: sql`coalesce(${sales.correctedSaleId}, ${sales.id})`,
    },
    sql`nearby.id < ${sales.id}`,
  )} from ${customers} where ${customers.id} = ${sales.customerId})`;
