import { type SQL, sql } from "drizzle-orm";
import { unencoded } from "../statement.ts";
import { memo } from "./memo.ts";

/** Kinds of ids that identify the subject of an explanation. */
export const explainKeys = ["click", "lead", "sale", "commission", "transaction", "customer"] as const;
export type ExplainKey = (typeof explainKeys)[number];
/** `refund` is identified by two placeholders: `key` (a transaction id) and `refundId`. */
export type ChainKey = ExplainKey | "refund";

/**
 * SQL for all rows connected to a key: its click, customer, leads and sales. The placeholders `programId` and `isTest`
 * name the book.
 */
export interface Chain {
  readonly exists: SQL;
  readonly customerIds: SQL;
  readonly leadIds: SQL;
  readonly saleIds: SQL;
  /** Condition on a row of `sales`. All sales of one customer are read in chronological order. */
  readonly hasSale: SQL;
  /** The id of the chain's sale, if the chain has exactly one. */
  readonly onlySaleId: SQL;
}

type BookFlag = "isTest" | "isTestElsewhere";

const inBook = (alias: string, flag: BookFlag): SQL =>
  sql`${sql.raw(alias)}.program_id = ${unencoded("programId")} and ${sql.raw(alias)}.is_test = ${unencoded(flag)}`;

const only = (saleIds: SQL): SQL =>
  sql`(select iif(count(*) = 1, min(only_sale.id), null) from (select * from (${saleIds}) limit 2) only_sale)`;

function ofSale(saleId: SQL): Chain {
  const customerIds = sql`select s.customer_id from sales s where s.id = (${saleId}) and s.customer_id is not null`;
  return {
    exists: sql`exists (${saleId})`,
    customerIds,
    leadIds: sql`select l.id from leads l where l.customer_id = (${customerIds})`,
    saleIds: saleId,
    hasSale: sql`"sales"."id" = (${saleId})`,
    onlySaleId: sql`(${saleId})`,
  };
}

const unresolvedLeads = (flag: BookFlag, named: "customer" | "click", key: SQL): SQL =>
  sql`select l.id from leads l where ${inBook("l", flag)} and l.unsettled_key = ${sql.raw(`'${named} '`)} || ${key}`;

function ofCustomer(customerIds: SQL, exists: SQL, otherLeads: SQL): Chain {
  const saleIds = sql`select s.id as id from sales s where s.customer_id = (${customerIds})`;
  return {
    exists,
    customerIds,
    leadIds: sql`select l.id from leads l where l.customer_id = (${customerIds}) union ${otherLeads}`,
    saleIds,
    hasSale: sql`"sales"."customer_id" = (${customerIds})`,
    onlySaleId: only(saleIds),
  };
}

function ofClick(flag: BookFlag, key: SQL): Chain {
  const customerIds = sql`select u.id from customer_clicks cc join customers u on u.id = cc.customer_id
    where cc.click_id = ${key} and ${inBook("u", flag)}`;
  // The sales that this click decided, of all customers for whom the click was reported. Their explanations contain the
  // click as `click` or `considered.click`. There may be thousands of sales, so the JSON is searched as text.
  const saleIds = sql`select s.id as id from sales s join commissions c on c.sale_id = s.id
    where s.customer_id in (${customerIds})
      and instr(c.explanation, '"click":{"id":"' || ${key} || '"') > 0`;
  const stored = sql`select 1 from clicks k where k.click_id = ${key} and ${inBook("k", flag)}`;
  return {
    exists: sql`(exists (${stored}) or exists (${customerIds}))`,
    customerIds,
    leadIds: sql`select l.id from leads l where l.customer_id in (${customerIds})
      union ${unresolvedLeads(flag, "click", key)}`,
    saleIds,
    hasSale: sql`"sales"."id" in (${saleIds})`,
    onlySaleId: only(saleIds),
  };
}

/**
 * Finds the version of a sale that has the refund: the sale with this transaction id or, if that version doesn't have
 * the refund, the newest version that does.
 */
const saleOfRefund = (flag: BookFlag, key: SQL): SQL => {
  const first = sql`coalesce(o.corrected_sale_id, o.id)`;
  return sql`select n.id from sales o join sales n on n.id in (
      select ${first} union all select c.id from sales c where c.corrected_sale_id = ${first})
    where ${inBook("o", flag)} and o.transaction_id = ${key}
      and exists (select 1 from refunds r where r.sale_id = n.id and r.refund_id = ${unencoded("refundId")})
    order by n.id <> o.id, n.correction desc limit 1`;
};

export function chainOf(by: ChainKey, flag: BookFlag = "isTest", key = unencoded("key")): Chain {
  switch (by) {
    case "sale":
      return ofSale(sql`select s.id from sales s where s.id = ${key} and ${inBook("s", flag)}`);
    case "commission":
      return ofSale(sql`select c.sale_id from commissions c where c.id = ${key} and ${inBook("c", flag)}`);
    case "transaction":
      return ofSale(sql`select s.id from sales s where ${inBook("s", flag)} and s.transaction_id = ${key}`);
    case "refund":
      return ofSale(saleOfRefund(flag, key));
    case "lead": {
      const own = sql`select l.id from leads l where l.id = ${key} and ${inBook("l", flag)}`;
      const customerIds = sql`select l.customer_id from leads l where l.id = ${key} and ${inBook("l", flag)}
        and l.customer_id is not null`;
      return ofCustomer(customerIds, sql`exists (${own})`, own);
    }
    case "customer": {
      const customerIds = sql`select u.id from customers u where ${inBook("u", flag)} and u.customer_key = ${key}`;
      const otherLeads = unresolvedLeads(flag, "customer", key);
      return ofCustomer(customerIds, sql`(exists (${customerIds}) or exists (${otherLeads}))`, otherLeads);
    }
    case "click":
      return ofClick(flag, key);
  }
}

export const byKey = <T>(make: (by: ChainKey) => T): ((by: ChainKey) => T) => memo(make);
