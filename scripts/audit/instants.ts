import { isFinalAtOnceCustomer } from "./commissions.ts";
import type { Invariants } from "./invariant.ts";

const dated = ["clicks", "leads", "sales", "refunds", "ledger_entries"] as const;

/**
 * Offsets from UTC in seconds of the first time zone, of UTC and of the last one. Together they include every possible
 * day of an instant.
 */
const zones = [-12 * 3_600, 0, 14 * 3_600];
const dayThere = (seconds: number) => `strftime('%Y-%m-%d', t.occurred_at / 1000 + ${seconds}, 'unixepoch')`;

export const instantInvariants: Invariants = {
  "events on a day that isn't the day of their time in any time zone": (of) =>
    dated
      .map(
        (table) => `
        select '${table}' as in_table, t.id, t.day, t.occurred_at from ${table} t
        where ${of("t")} and t.day not in (${zones.map(dayThere).join(", ")})`,
      )
      .join(" union all "),
  "events later than their recording": (of) =>
    (["clicks", "leads", "sales"] as const)
      .map(
        (table) => `
        select '${table}' as in_table, t.id, t.occurred_at, t.created_at from ${table} t
        where ${of("t")} and t.occurred_at > t.created_at`,
      )
      .join(" union all "),
  "refunds later than their recording, or at another time than was reported": (of) => `
    select r.id as refund, r.occurred_at, r.told_at from refunds r join sales s on s.id = r.sale_id
    where ${of("r")} and (r.occurred_at > max(r.created_at, s.occurred_at)
      or (r.told_at is not null and r.occurred_at <> max(r.told_at, s.occurred_at)))`,
  "entries on another day or at another time than their event": (of) => `
    select e.id as entry, c.sale_id as sale, e.refund_id as refund from ledger_entries e
    join commissions c on c.id = e.commission_id join sales s on s.id = c.sale_id left join refunds r on r.id = e.refund_id
    where ${of("e")} and case
      when e.kind in ('earned', 'moved') then e.occurred_at <> s.occurred_at or e.day <> s.day
      when e.kind in ('reversed', 'restored') then e.occurred_at is not r.occurred_at or e.day is not r.day
      else 0 end`,
  "commissions recorded at another time than their sale": (of) => `
    select c.id as commission, s.id as sale from commissions c join sales s on s.id = c.sale_id
    where ${of("c")} and c.created_at <> s.created_at`,
  "customers without a lead, sale, import or assignment of the same time": (of) => `
    select u.id as customer, u.created_at from customers u
    where ${of("u")} and not (${isFinalAtOnceCustomer} and u.created_at = u.bound_at)
      and not exists (select 1 from leads l where l.customer_id = u.id and l.created_at = u.created_at)
      and not exists (select 1 from sales s where s.customer_id = u.id and s.created_at = u.created_at)`,
};
