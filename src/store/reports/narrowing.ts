import { type SQL, sql } from "drizzle-orm";
import type { EventKind } from "#domain/event-page.ts";
import type { CommissionId, SaleId } from "#domain/ids.ts";
import { unencoded } from "../statement.ts";
import { type Chain, chainOf, type ExplainKey } from "./explain-chain.ts";
import { memo } from "./memo.ts";

/** Filters that limit a list to the events of one sale or customer. */
const keys = {
  saleId: "sale",
  commissionId: "commission",
  transactionId: "transaction",
  customerKey: "customer",
} as const satisfies Record<string, ExplainKey>;
export type EventFilter = keyof typeof keys;

export type Narrowing = {
  saleId?: SaleId | undefined;
  commissionId?: CommissionId | undefined;
  transactionId?: string | undefined;
  customerKey?: string | undefined;
};

const names = Object.keys(keys) as EventFilter[];

export const filtersOf = (narrowing: Narrowing): readonly EventFilter[] =>
  names.filter((name) => narrowing[name] !== undefined);

const chainBy = (filter: EventFilter): Chain => chainOf(keys[filter], "isTest", unencoded(filter));

export const saleIdsOf = (filter: EventFilter): SQL => chainBy(filter).saleIds;

/** No click or lead belongs to a single sale, so only the filter by customer finds clicks and leads. */
export function idsOf(kind: EventKind, filter: EventFilter): SQL {
  const { customerIds, leadIds, saleIds } = chainBy(filter);
  if (kind === "sale") return saleIds;
  if (kind === "refund") return sql`select r.id from refunds r where r.sale_id in (${saleIds})`;
  if (filter !== "customerKey") return sql`select null where false`;
  if (kind === "lead") return leadIds;
  return sql`select k.id from clicks k where k.click_id in (
    select cc.click_id from customer_clicks cc where cc.customer_id in (${customerIds}))`;
}

export const byFilters = <T>(make: (filters: readonly EventFilter[]) => T): ((filters: readonly EventFilter[]) => T) =>
  memo(make);
