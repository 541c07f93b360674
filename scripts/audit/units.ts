import { field, type Invariants } from "./invariant.ts";

/** Tables with amounts that may be in a unit, and the column that identifies their rows. */
const counted: Readonly<Record<string, string>> = {
  commissions: "t.id",
  ledger_entries: "t.id",
  adjustments: "t.id",
  payouts: "t.id",
  payout_lines: "t.id",
  partner_balances: "t.partner_id",
  daily_counts: "t.day",
};

const inMoney: Readonly<Record<string, string>> = {
  sales: "t.currency",
  refunds: "t.currency",
  commission_policies: "t.currency",
};

const asUnit = (alias: string): string =>
  `json_object('code', ${alias}.code, 'digits', ${alias}.digits, 'one', ${alias}.one, 'other', ${alias}.other)`;

const terms = ["code", "digits", "one", "other"];

export const unitInvariants: Invariants = {
  "policies with a unit that their program doesn't have": (of) => `
    select p.id as policy, p.unit from commission_policies p
    where ${of("p")} and p.unit is not null
      and not exists (select 1 from units u where u.program_id = p.program_id and p.unit is ${asUnit("u")})`,
  "amounts in a unit that their program doesn't have": (of) =>
    Object.entries(counted)
      .map(
        ([table, id]) => `
        select '${table}' as in_table, ${id} as id, t.currency as unit from ${table} t
        where ${of("t")} and length(t.currency) > 3
          and not exists (select 1 from units u where u.program_id = t.program_id and u.code = t.currency)`,
      )
      .join(" union all "),
  "sales, refunds and policies whose currency is a unit": (of) =>
    Object.entries(inMoney)
      .map(
        ([table, currency]) => `
        select '${table}' as in_table, t.id, ${currency} as unit from ${table} t
        where ${of("t")} and length(${currency}) > 3`,
      )
      .join(" union all "),
  "units that differ from the audit trail": (of) => `
    select u.code as unit, a.id as audit_entry from units u
    left join audit_entries a on a.program_id = u.program_id and a.action = 'unit.created' and a.subject = 'unit ' || u.code
    where ${of("u")} and (a.id is null or a.created_at <> u.created_at
      or ${terms.map((term) => `${field("a.after", term)} is not u.${term}`).join(" or ")})`,
};
