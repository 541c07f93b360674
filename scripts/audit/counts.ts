import type { Invariants, Scope } from "./invariant.ts";
import { countedOf } from "./refunds.ts";

/** The columns of `daily_counts`, and what each counts, told from the events alone. */
const counted: Readonly<Record<string, { readonly from: string; readonly where?: string; readonly sum?: string }>> = {
  clicks: { from: "clicks", where: "not (t.is_bot or t.is_prefetch)" },
  unique_clicks: {
    from: "clicks",
    where: "not (t.is_bot or t.is_prefetch)",
    sum: "count(distinct t.visitor) + sum(t.visitor is null)",
  },
  uncounted_clicks: { from: "clicks", where: "(t.is_bot or t.is_prefetch)" },
  leads: { from: "leads", where: "t.partner_id is not null" },
  unattributed_leads: { from: "leads", where: "t.partner_id is null" },
  sales: { from: "sales", where: "t.partner_id is not null" },
  revenue_cents: { from: "sales", where: "t.partner_id is not null", sum: "sum(t.amount_cents)" },
  organic_sales: { from: "sales", where: "t.partner_id is null" },
  organic_revenue_cents: { from: "sales", where: "t.partner_id is null", sum: "sum(t.amount_cents)" },
  refunds: { from: "refunds", where: `t.partner_id is not null and ${countedOf("t")} > 0` },
  refunded_cents: { from: "refunds", where: "t.partner_id is not null", sum: `sum(${countedOf("t")})` },
  organic_refunds: { from: "refunds", where: `t.partner_id is null and ${countedOf("t")} > 0` },
  uncounted_refunds: { from: "refunds", where: `${countedOf("t")} = 0` },
  commission_cents: { from: "ledger_entries", where: "t.commission_id is not null", sum: "sum(t.amount_cents)" },
};

const withoutCurrency = ["clicks", "leads"];

function unlike(column: string, of: Scope): string {
  const { from, where = "1", sum = "count(*)" } = counted[column] ?? { from: column };
  const currency = withoutCurrency.includes(from) ? "''" : "t.currency";
  return `
    select program_id as program, is_test, day, partner_id as partner, currency,
      sum(kept) as kept, sum(events) as events
    from (
      select d.program_id, d.is_test, d.day, d.partner_id, d.currency, d.${column} as kept, 0 as events
      from daily_counts d where ${of("d")} and d.${column} <> 0
      union all
      select t.program_id, t.is_test, t.day, coalesce(t.partner_id, 0), ${currency}, 0, ${sum}
      from ${from} t where ${of("t")} and ${where} group by 1, 2, 3, 4, 5
    ) group by 1, 2, 3, 4, 5 having sum(kept) <> sum(events)`;
}

export const countInvariants: Invariants = Object.fromEntries(
  Object.keys(counted).map((column) => [
    `daily counts whose ${column} are not those of the events`,
    (of: Scope) => unlike(column, of),
  ]),
);
