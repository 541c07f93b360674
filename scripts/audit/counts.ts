import type { Invariants, Scope } from "./invariant.ts";

const isSeen = "not (t.is_bot or t.is_prefetch)";
const isOwed = "t.partner_id is not null";

const isReplaced = (id: string) => `${id} in (
  select coalesce((select p.id from sales p
    where p.corrected_sale_id = n.corrected_sale_id and p.correction = n.correction - 1), n.corrected_sale_id)
  from sales n where n.corrected_sale_id is not null)`;
const isReplacedSale = isReplaced("t.id");
const isSold = `not ${isReplacedSale}`;
const isReplacedRefund = isReplaced("t.sale_id");
const isRefunded = `not ${isReplacedRefund}`;

export const countedColumns: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  clicks: {
    clicks: `sum(${isSeen})`,
    unique_clicks: `count(distinct iif(${isSeen}, t.visitor, null)) + sum(${isSeen} and t.visitor is null)`,
    uncounted_clicks: "sum(t.is_bot or t.is_prefetch)",
  },
  leads: {
    leads: `sum(${isOwed})`,
    unattributed_leads: "sum(t.partner_id is null)",
  },
  sales: {
    sales: `sum(${isOwed} and ${isSold})`,
    revenue_cents: `sum(iif(${isOwed} and ${isSold}, t.amount_cents, 0))`,
    organic_sales: `sum(t.partner_id is null and ${isSold})`,
    organic_revenue_cents: `sum(iif(t.partner_id is null and ${isSold}, t.amount_cents, 0))`,
    corrected_sales: `sum(${isReplacedSale})`,
  },
  refunds: {
    refunds: `sum(${isOwed} and t.counted_cents > 0 and ${isRefunded})`,
    refunded_cents: `sum(iif(${isOwed} and ${isRefunded}, t.counted_cents, 0))`,
    organic_refunds: `sum(t.partner_id is null and t.counted_cents > 0 and ${isRefunded})`,
    uncounted_refunds: `sum(t.counted_cents = 0 and ${isRefunded})`,
    corrected_refunds: `sum(${isReplacedRefund})`,
  },
  ledger_entries: {
    commission_cents: `sum(iif(t.commission_id is null or ${isReplaced("(select c.sale_id from commissions c where c.id = t.commission_id)")}, 0, t.amount_cents))`,
  },
};

/** The tables with columns that count deleted rows. */
const removedOf: Readonly<Record<string, string>> = { clicks: "removed_clicks" };

const withoutCurrency = ["clicks", "leads"];

function unlike(table: string, of: Scope): string {
  const columns = Object.entries(countedColumns[table] ?? {});
  const currency = withoutCurrency.includes(table) ? "''" : "t.currency";
  const removed = removedOf[table];
  const list = (each: (column: string, sum: string) => string) =>
    columns.map(([name, sum]) => each(name, sum)).join(", ");
  return `
    select program_id as program, is_test, day, partner_id as partner, currency,
      ${list((column) => `sum(${column}) as ${column}, sum(of_${column}) as counted_${column}`)}
    from (
      select d.program_id, d.is_test, d.day, d.partner_id, d.currency, ${list((column) => `d.${column}, 0 as of_${column}`)}
      from daily_counts d where ${of("d")}
      union all
      select t.program_id, t.is_test, t.day, coalesce(t.partner_id, 0), ${currency}, ${list((_, sum) => `0, ${sum}`)}
      from ${table} t where ${of("t")} group by 1, 2, 3, 4, 5
      ${removed === undefined ? "" : `union all select r.program_id, r.is_test, r.day, r.partner_id, '', ${list((column) => `0, r.${column}`)} from ${removed} r where ${of("r")}`}
    ) group by 1, 2, 3, 4, 5 having ${columns.map(([name]) => `sum(${name}) <> sum(of_${name})`).join(" or ")}`;
}

const hourMs = 3_600_000;

/**
 * The first hour whose counts must exist. Older counts are removed when the next hour's first count is written, and
 * clocks may differ about which hour is next.
 */
const firstKeptHour = "(unixepoch() / 3600 - 46)";

export const recentColumns: Readonly<Record<string, string>> = {
  clicks: isSeen,
  leads: isOwed,
  sales: `${isOwed} and ${isSold}`,
};

function unlikeRecent(of: Scope): string {
  const names = Object.keys(recentColumns);
  const events = Object.entries(recentColumns).map(
    ([table, condition]) => `
      select t.program_id, t.is_test, t.occurred_at / ${hourMs}, ${names.map(() => 0).join(", ")}, ${names.map((name) => Number(name === table)).join(", ")}
      from ${table} t where ${of("t")} and ${condition} and t.occurred_at >= ${firstKeptHour} * ${hourMs}`,
  );
  return `
    select program_id as program, is_test, hour,
      ${names.map((name) => `sum(${name}) as ${name}, sum(of_${name}) as counted_${name}`).join(", ")}
    from (
      select h.program_id, h.is_test, h.hour, ${[...names.map((name) => `h.${name}`), ...names.map((name) => `0 as of_${name}`)].join(", ")}
      from recent_hours h where ${of("h")} and h.hour >= ${firstKeptHour}
      union all ${events.join(" union all ")}
    ) group by 1, 2, 3 having ${names.map((name) => `sum(${name}) <> sum(of_${name})`).join(" or ")}`;
}

export const countInvariants: Invariants = {
  ...Object.fromEntries(
    Object.keys(countedColumns).map((table) => [
      `daily counts that don't match the ${table.replace("_", " ")}`,
      (of: Scope) => unlike(table, of),
    ]),
  ),
  "hourly counts that don't match the events": unlikeRecent,
};
