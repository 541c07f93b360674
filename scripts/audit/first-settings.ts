import type { PartnerDetails, PartnerSettings } from "#store/partners.ts";
import { field, type Invariants, type Scope } from "./invariant.ts";
import { fieldsSet } from "./trail.ts";

/** The settings that the creation of a partner can't set. */
type LaterPartnerSettings = Omit<PartnerSettings, keyof PartnerDetails | "name" | "status">;
type First = readonly [column: string, value: string];

/**
 * The settings of new rows, until an audit entry changes them. Doesn't use src/operations, because the audit checks it.
 */
const first = {
  program: {
    leadAuth: ["lead_auth", "'browser_allowed'"],
    attributionModel: ["attribution_model", "'last_click'"],
    attributionWindowDays: ["attribution_window_days", "60"],
    windowUntil: ["window_until", "'lead'"],
    cookieWindowDays: ["cookie_window_days", "null"],
    payoutMode: ["payout_mode", "'manual'"],
    minimumPayoutCents: ["minimum_payout_cents", "null"],
    payoutTerms: ["payout_terms", "null"],
    payoutApproval: ["payout_approval", "'one_person'"],
    requireDetails: ["require_details", "0"],
    partnersSeeRevenue: ["partners_see_revenue", "0"],
    payerName: ["payer_name", "null"],
    payerIban: ["payer_iban", "null"],
    payerBic: ["payer_bic", "null"],
    issuerName: ["issuer_name", "null"],
    issuerAddress: ["issuer_address", "null"],
    issuerTaxId: ["issuer_tax_id", "null"],
    selfReferral: ["self_referral", "'hold'"],
    duplicateSource: ["duplicate_source", "'hold'"],
    blockedSource: ["blocked_source", "'hold'"],
    manySources: ["many_sources", "'flag'"],
    blockedHosts: ["blocked_hosts", "'[]'"],
    reviewDays: ["review_days", "null"],
    status: ["status", "'active'"],
  },
  partner: {
    isRiskExempt: ["is_risk_exempt", "0"],
  },
} as const satisfies {
  readonly program: Readonly<Record<string, First>>;
  readonly partner: Readonly<Record<keyof LaterPartnerSettings, First>>;
};

type Kind = keyof typeof first;
const tables = { program: "programs", partner: "partners" } as const;
const kinds: readonly Kind[] = ["program", "partner"];
const idOf: Readonly<Record<Kind, string>> = {
  program: "a.program_id",
  partner: field("a.after", "partnerId"),
};

function changedUntold(kind: Kind, of: Scope): string {
  const columns = Object.entries(first[kind]);
  const names = columns.map(([name]) => `select '${name}' as name`).join(" union all ");
  const isChanged = columns.map(([name, [column, value]]) => `when '${name}' then t.${column} is not ${value}`);
  return `
    select '${tables[kind]}' as in_table, t.id, d.name as in_field from audit_entries a
    join ${tables[kind]} t on t.id = ${idOf[kind]} join (${names}) d
    where ${of("a")} and a.action = '${kind}.created' and case d.name ${isChanged.join(" ")} end and not exists (
      select 1 from audit_entries e where e.program_id = a.program_id and e.subject = '${kind} ' || t.id
        and e.action like '${kind}.%' and iif(json_valid(e.after), json_type(e.after, '$.' || d.name), null) is not null)`;
}

/**
 * Finds rows whose initial value differs from these settings, by the previous value in the first audit entry that
 * changes the field.
 */
function firstUnlike(kind: Kind, of: Scope): string {
  const isUnlike = Object.entries(first[kind]).map(([name, [, value]]) => `when '${name}' then was is not ${value}`);
  return `
    select id as audit_entry, name as in_field from (
      select f.*, row_number() over (partition by f.program_id, f.subject, f.name order by f.id) as place
      from ${fieldsSet(kind, of)} f
    ) where place = 1 and case name ${isUnlike.join(" ")} end
      and program_id in (select c.program_id from audit_entries c where c.action = 'program.created')`;
}

export const firstSettingInvariants: Invariants = {
  "settings without an audit entry that aren't the initial ones": (of) =>
    kinds.map((kind) => changedUntold(kind, of)).join(" union all "),
  "first audit entries whose previous value isn't the initial one": (of) =>
    kinds.map((kind) => firstUnlike(kind, of)).join(" union all "),
};
