import { getTableColumns, getTableName } from "drizzle-orm";
import { unattributedReasons } from "#domain/attribution.ts";
import { voidReasons } from "#domain/commission.ts";
import { skippedReasons } from "#domain/refund.ts";
import { clicks } from "#store/schema/clicks.ts";
import { commissionSignals } from "#store/schema/commission-signals.ts";
import { commissions, ledgerEntries } from "#store/schema/commissions.ts";
import { customerClicks, customers } from "#store/schema/customers.ts";
import { leads } from "#store/schema/leads.ts";
import { partners, referralLinks } from "#store/schema/partners.ts";
import { payoutLines, payouts } from "#store/schema/payouts.ts";
import { commissionPolicies } from "#store/schema/policies.ts";
import { programs } from "#store/schema/programs.ts";
import { refunds } from "#store/schema/refunds.ts";
import { sales } from "#store/schema/sales.ts";
import type { Invariants, Scope } from "./invariant.ts";

const reasons: Readonly<Record<string, readonly string[]>> = {
  "customers.reason": unattributedReasons,
  "leads.reason": unattributedReasons,
  "sales.reason": unattributedReasons,
  "commissions.reason": voidReasons,
  "refunds.outcome_reason": [...skippedReasons, "one_time_used"],
};

const tables = [
  programs,
  partners,
  referralLinks,
  commissionPolicies,
  clicks,
  customers,
  customerClicks,
  leads,
  sales,
  refunds,
  commissions,
  commissionSignals,
  ledgerEntries,
  payouts,
  payoutLines,
];

/** The rules for the values of a table. They ignore null, which the schema rejects. */
function rulesOf(table: (typeof tables)[number]): readonly string[] {
  return Object.values(getTableColumns(table)).flatMap(({ name, enumValues, dataType }) => {
    const values: readonly string[] = enumValues ?? reasons[`${getTableName(table)}.${name}`] ?? [];
    const allowed = dataType === "boolean" ? "0, 1" : values.map((value) => `'${value}'`).join(", ");
    return allowed === "" ? [] : [`when t.${name} not in (${allowed}) then '${name}'`];
  });
}

const unknownColumns = tables.map((table) => ({
  name: getTableName(table),
  inColumn: `case ${rulesOf(table).join(" ")} end as in_column`,
}));

function unknownIn({ name, inColumn }: (typeof unknownColumns)[number], of: Scope): string {
  const from =
    name === "customer_clicks"
      ? `t.customer_id as id, t.click_id as click, ${inColumn}
         from customer_clicks t join customers u on u.id = t.customer_id where ${of("u")}`
      : `${name === "commission_signals" ? "t.commission_id as id" : "t.id"}, null as click, ${inColumn} from ${name} t where ${of("t", name === "programs" ? "id" : "program_id")}`;
  return `select * from (select '${name}' as in_table, ${from}) where in_column is not null`;
}

export const valueInvariants: Invariants = {
  "values that no operation writes": (of) => unknownColumns.map((table) => unknownIn(table, of)).join(" union all "),
  "texts that aren't valid JSON": (of) => `
    select 'sales' as in_table, s.id from sales s
    where ${of("s")} and (not json_valid(coalesce(s.line_items, '{}')) or not json_valid(coalesce(s.items, '[]')))
    union all select 'commission_policies', p.id from commission_policies p where ${of("p")} and not json_valid(coalesce(p.rules, '[]'))
    union all select 'commissions', c.id from commissions c where ${of("c")} and not json_valid(c.explanation)
    union all select 'audit_entries', a.id from audit_entries a
    where ${of("a")} and not (json_valid(coalesce(a.before, '{}')) and json_valid(coalesce(a.after, '{}')))`,
  "sales whose items don't add up to their amount": (of) => `
    select s.id as sale, s.amount_cents as amount,
      (select sum(i.value ->> '$.amountCents') from json_each(s.items) i) as items
    from sales s where ${of("s")} and s.items is not null and json_valid(s.items)
      and s.amount_cents is not (select sum(i.value ->> '$.amountCents') from json_each(s.items) i)`,
  "impossible codes and outcomes": (of) => `
    select 'referral_links' as in_table, k.id from referral_links k where ${of("k")} and k.code_key <> lower(k.code)
    union all select 'refunds', r.id from refunds r
    where ${of("r")} and case r.status when 'skipped' then r.outcome_reason is null or r.outcome_reason = 'one_time_used'
      when 'restored' then r.outcome_reason is not null and r.outcome_reason <> 'one_time_used'
      else r.outcome_reason is not null end`,
};
