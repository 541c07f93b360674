import type { Invariants, Scope } from "./invariant.ts";

/** The columns that a change of a program or a partner may set, by their names in the trail. */
const settings = {
  programs: {
    workspaceId: "workspace_id",
    name: "name",
    websiteUrl: "website_url",
    currency: "currency",
    timezone: "timezone",
    leadAuth: "lead_auth",
    attributionModel: "attribution_model",
    attributionWindowDays: "attribution_window_days",
    windowUntil: "window_until",
    cookieWindowDays: "cookie_window_days",
    payoutMode: "payout_mode",
  },
  partners: { name: "name", status: "status" },
} as const;

const policy = {
  partnerId: "partner_id",
  type: "type",
  rateBps: "rate_bps",
  amountCents: "amount_cents",
  currency: "currency",
  scope: "scope",
  durationMonths: "duration_months",
  holdDays: "hold_days",
  minSaleCents: "min_sale_cents",
  maxCommissionCents: "max_commission_cents",
  effectiveFrom: "effective_from",
} as const;

const ofProgram = (of: Scope, alias: string) => of(alias).replace("program_id", "id");

/** The newest entry about a row that set one of its columns. */
const lastTold = (action: string, subject: string, programId: string, name: string) => `(
  select max(b.id) from audit_entries b
  where b.program_id = ${programId} and b.subject = ${subject} and b.action like '${action}.%'
    and json_type(b.after, '$.${name}') is not null)`;

const unlikeTrail = (table: keyof typeof settings, of: Scope): readonly string[] =>
  Object.entries(settings[table]).map(([name, column]) => {
    const action = table === "programs" ? "program" : "partner";
    const programId = table === "programs" ? "t.id" : "t.program_id";
    const scope = table === "programs" ? ofProgram(of, "t") : of("t");
    return `
    select '${table}' as in_table, t.id, '${column}' as in_column, a.id as audit_entry from ${table} t
    join audit_entries a on a.id = ${lastTold(action, `'${action} ' || t.id`, programId, name)}
    where ${scope} and json_extract(a.after, '$.${name}') is not t.${column}`;
  });

export const trailInvariants: Invariants = {
  "settings that are not what the audit trail says": (of) =>
    [...unlikeTrail("programs", of), ...unlikeTrail("partners", of)].join(" union all "),
  "programs whose status is not what the audit trail says": (of) => `
    select g.id as program, g.status, g.archived_at, a.id as audit_entry from programs g
    join audit_entries a on a.id = ${lastTold("program", "'program ' || g.id", "g.id", "status")}
    where ${ofProgram(of, "g")} and case json_extract(a.after, '$.status')
      when 'archived' then g.archived_at is not a.created_at or g.status is not json_extract(a.before, '$.status')
      else g.archived_at is not null or g.status is not json_extract(a.after, '$.status') end`,
  "programs and partners that were created otherwise than the audit trail says": (of) => `
    select 'programs' as in_table, g.id, a.id as audit_entry from audit_entries a
    left join programs g on g.id = a.program_id
    where ${of("a")} and a.action = 'program.created'
      and (g.created_at is not a.created_at or a.subject <> 'program ' || a.program_id)
    union all
    select 'partners', p.id, a.id from audit_entries a
    left join partners p on p.id = json_extract(a.after, '$.partnerId')
    left join referral_links k on k.partner_id = p.id and k.code = json_extract(a.after, '$.code')
    where ${of("a")} and a.action = 'partner.created'
      and (p.created_at is not a.created_at or p.program_id <> a.program_id or k.id is null
        or a.subject <> 'partner ' || p.id)`,
  "links that were created at another instant than their partner": (of) => `
    select k.id as link, p.id as partner from referral_links k join partners p on p.id = k.partner_id
    where ${of("k")} and k.created_at <> p.created_at`,
  "partners whose code is not of their kind": (of) => `
    select p.id as partner, k.id as link from partners p join referral_links k on k.partner_id = p.id
    where ${of("p")} and p.is_synthetic <> (k.code like '~%')`,
  "policies that are not what the audit trail says": (of) => `
    select a.id as audit_entry, p.id as policy from audit_entries a
    left join commission_policies p on p.program_id = a.program_id and p.version = json_extract(a.after, '$.version')
    where ${of("a")} and a.action = 'policy.set' and (p.created_at is not a.created_at
      or a.subject <> coalesce('partner ' || p.partner_id, 'program ' || p.program_id)
      or ${Object.entries(policy)
        .map(([name, column]) => `json_extract(a.after, '$.${name}') is not p.${column}`)
        .join(" or ")})`,
  "policies that are in force before an earlier version": (of) => `
    select policy, effective_from from (
      select p.id as policy, p.effective_from, p.effective_from
        - lag(p.effective_from) over (partition by p.program_id, p.partner_id order by p.version) as after_ms
      from commission_policies p where ${of("p")}
    ) where after_ms < 0`,
  "entries of the audit trail that are about nothing": (of) => `
    select a.id as audit_entry, a.action, a.subject from audit_entries a
    where ${of("a")} and not case
      when a.action in ('program.created', 'program.updated', 'program.archived', 'program.restored')
        then a.subject = 'program ' || a.program_id
      when a.action in ('partner.created', 'partner.updated') then exists (
        select 1 from partners p where p.program_id = a.program_id and a.subject = 'partner ' || p.id)
      when a.action = 'policy.set' then a.subject = 'program ' || a.program_id or exists (
        select 1 from partners p where p.program_id = a.program_id and a.subject = 'partner ' || p.id)
      when a.action in ('commission.approved', 'commission.rejected') then a.subject = 'commission ' || cast(substr(a.subject, 12) as integer)
      else a.action = 'key.rotated' and a.subject like 'key %' end`,
};
