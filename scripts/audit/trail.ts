import { getTableColumns } from "drizzle-orm";
import { settingNames } from "#store/coupons.ts";
import type { EmbedRow } from "#store/embeds.ts";
import type { GroupRow } from "#store/groups.ts";
import { partnerSettingNames } from "#store/partners.ts";
import type { PlaceColumns } from "#store/program-place.ts";
import type { ProgramRow } from "#store/programs.ts";
import { coupons } from "#store/schema/coupons.ts";
import { partners } from "#store/schema/partners.ts";
import { field, type Invariants, isLinkOf, type Scope, typedField } from "./invariant.ts";
import { isOfRemoved } from "./payouts.ts";
import { policyColumns } from "./policy-columns.ts";

const aboutPartners = [
  "partner.created",
  "partner.updated",
  "partner.erased",
  "partner.viewed",
  "adjustment.created",
  "link.created",
  "link.updated",
  "partner_access.granted",
  "partner_access.ended",
  "partner_invitation.created",
  "terms.accepted",
  "payment_details.changed",
  "payment_details.requested",
]
  .map((action) => `'${action}'`)
  .join(", ");

type NamesOf<Row, Other extends keyof Row> = Readonly<Record<Exclude<keyof Row, Other>, string>>;

/** The settings of each table: all columns except the named ones. So a new column is a setting. */
interface AllSettings {
  /** The status is excluded, because another rule compares it. */
  readonly program: NamesOf<ProgramRow, "id" | "status" | "archivedAt" | "createdAt" | keyof PlaceColumns>;
  readonly group: NamesOf<GroupRow, "id" | "programId" | "createdAt">;
  readonly coupon: Readonly<Record<string, string>>;
  readonly embed: NamesOf<EmbedRow, "programId">;
  readonly partner: Readonly<Record<string, string>>;
}

/** The column of each setting, by its name in the audit trail. */
const settings = {
  program: {
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
    minimumPayoutCents: "minimum_payout_cents",
    payoutTerms: "payout_terms",
    payoutApproval: "payout_approval",
    requireDetails: "require_details",
    partnersSeeRevenue: "partners_see_revenue",
    payerName: "payer_name",
    payerIban: "payer_iban",
    payerBic: "payer_bic",
    issuerName: "issuer_name",
    issuerAddress: "issuer_address",
    issuerTaxId: "issuer_tax_id",
    selfReferral: "self_referral",
    duplicateSource: "duplicate_source",
    blockedSource: "blocked_source",
    manySources: "many_sources",
    blockedHosts: "blocked_hosts",
    reviewDays: "review_days",
  },
  group: { name: "name" },
  coupon: Object.fromEntries(settingNames.map((name) => [name, getTableColumns(coupons)[name].name])),
  embed: {
    embedId: "embed_id",
    origins: "origins",
    theme: "theme",
    showCommissions: "show_commissions",
    showPayouts: "show_payouts",
    showClaims: "show_claims",
    tokensEndedAt: "tokens_ended_at",
  },
  partner: Object.fromEntries(partnerSettingNames.map((name) => [name, getTableColumns(partners)[name].name])),
} as const satisfies AllSettings;

/** The audit trail contains only the last characters of an IBAN or tax id. */
const inTrail = (column: string) =>
  column === "payer_iban" || column === "issuer_tax_id"
    ? `substr(t.${column}, -max(1, min(4, length(t.${column}) / 2)))`
    : `t.${column}`;

const isUnlikePolicy = (json: string, alias: string) =>
  policyColumns.map(([name, column]) => `${field(json, name)} is not ${alias}.${column}`).join(" or ");

type Kind = keyof typeof settings;
const tableOf = {
  program: "programs",
  partner: "partners",
  group: "partner_groups",
  coupon: "coupons",
  embed: "embeds",
} as const;
const kinds = Object.keys(tableOf) as Kind[];

const subjectId = (
  kind: Kind | "sale" | "customer" | "application" | "bonus" | "claim" | "commission",
  alias: string,
) => `cast(substr(${alias}.subject, ${kind.length + 2}) as integer)`;

/** Actions whose entries contain only their own count, independently of earlier entries. */
const countOnly = "'group.partners_added', 'group.partners_removed'";

/** The value itself, or the text of the note that it refers to. */
const textOf = (value: string, isNote: string) =>
  `iif(${isNote}, (select n.text from notes n where n.id = ${value} ->> '$.note'), ${value})`;

/** A version of an offer is new in each entry, so it has no previous value. */
export const fieldsSet = (kind: Kind | "offer", of: Scope) => `(
  select b.id, b.program_id, b.subject, b.created_at, f.key as name, ${textOf("f.value", "f.type = 'object'")} as became,
    iif(json_valid(b.before), ${textOf("json_extract(b.before, '$.' || f.key)", "json_type(b.before, '$.' || f.key) = 'object'")}, null) as was
  from audit_entries b join json_each(iif(json_valid(b.after), b.after, '{}')) f
  where ${of("b")} and b.action like '${kind}.%' and b.action not in (${countOnly})
    and (b.action <> 'offer.set' or f.key <> 'version'))`;

const lastSet = (kind: Kind, of: Scope) => `(
  select max(id) as id, program_id, subject, created_at, name, became, was from ${fieldsSet(kind, of)}
  group by program_id, subject, name)`;

const unlikeTrail = (kind: Kind, of: Scope): string => {
  const columns = Object.entries(settings[kind]);
  const named = columns.map(([name, column]) => `when '${name}' then ${inTrail(column)}`);
  const [id, subject] = kind === "embed" ? ["t.program_id", "a.program_id"] : ["t.id", subjectId(kind, "a")];
  return `
    select '${tableOf[kind]}' as in_table, ${id} as id, a.name as in_field, a.id as audit_entry
    from ${lastSet(kind, of)} a join ${tableOf[kind]} t on ${id} = ${subject}
    where a.name in (${columns.map(([name]) => `'${name}'`).join(", ")}) and case a.name ${named.join(" ")} end is not a.became`;
};

const brokenChain = (kind: Kind | "offer", of: Scope): string => `
  select audit_entry, in_field from (
    select id as audit_entry, name as in_field, was, lag(became) over of_field as became, lag(id) over of_field as earlier
    from ${fieldsSet(kind, of)} window of_field as (partition by program_id, subject, name order by id)
  ) where earlier is not null and was is not became`;

/** The newest audit entry about each code. */
const ofLinks = (action: "link.created" | "link.updated", of: Scope) => `(
  select max(a.id) as id, a.program_id, a.subject, a.created_at, ${typedField("a.after", "code", "text")} as code,
    ${field("a.after", "madeBy")} as made_by, ${field("a.after", "status")} as status
  from audit_entries a where ${of("a")} and a.action = '${action}' group by a.program_id, ${field("a.after", "code")})`;

export const trailInvariants: Invariants = {
  "settings that differ from the audit trail": (of) => kinds.map((kind) => unlikeTrail(kind, of)).join(" union all "),
  "programs whose status differs from the audit trail": (of) => `
    select g.id as program, g.status, g.archived_at, a.id as audit_entry
    from ${lastSet("program", of)} a join programs g on g.id = a.program_id
    where a.name = 'status' and case a.became when 'archived' then g.archived_at is not a.created_at or g.status is not a.was
      else g.archived_at is not null or g.status is not a.became end`,
  "audit entries whose previous value differs from the entry before": (of) =>
    ([...kinds, "offer"] as const).map((kind) => brokenChain(kind, of)).join(" union all "),
  "referral pages without an audit entry, and audit entries without their page": (of) => `
    select m.program_id as program, null as audit_entry from embeds m
    where ${of("m")} and m.program_id not in (select a.program_id from audit_entries a where a.action = 'embed.saved')
    union all
    select a.program_id, a.id from audit_entries a
    where ${of("a")} and a.action = 'embed.saved' and a.program_id not in (select m.program_id from embeds m)`,
  "programs and partners whose creation differs from the audit trail": (of) => `
    select 'programs' as in_table, g.id, a.id as audit_entry from audit_entries a
    left join programs g on g.id = a.program_id
    where ${of("a")} and a.action = 'program.created'
      and (g.created_at is not a.created_at or a.subject <> 'program ' || a.program_id)
    union all
    select 'partners', p.id, a.id from audit_entries a
    left join partners p on p.id = ${field("a.after", "partnerId")}
    left join referral_links k on k.partner_id = p.id and ${isLinkOf("k", field("a.after", "code"))}
    where ${of("a")} and a.action = 'partner.created'
      and (p.created_at is not a.created_at or p.program_id <> a.program_id or k.id is null
        or p.is_embedded <> (a.actor_id like 'embed %') or a.subject <> 'partner ' || p.id)`,
  // The first link is created with its partner. Each later link has its own audit entry.
  "links whose creation differs from the audit trail": (of) => `
    select k.id as link, k.partner_id as partner, a.id as audit_entry from (
      select k.*, min(k.id) over (partition by k.partner_id) as first_id from referral_links k where ${of("k")}
    ) k join partners p on p.id = k.partner_id left join ${ofLinks("link.created", of)} a on a.program_id = k.program_id
      and a.subject = 'partner ' || k.partner_id and a.code = k.code
    where case when k.id = k.first_id then k.created_at <> p.created_at or a.id is not null
      else a.id is null or k.created_at <> a.created_at or k.made_by is not a.made_by end
    union all
    select null, cast(substr(a.subject, 9) as integer), a.id from ${ofLinks("link.created", of)} a
    where not exists (select 1 from referral_links k where k.program_id = a.program_id and ${isLinkOf("k", "a.code")})`,
  "links whose status differs from the audit trail": (of) => `
    select k.id as link, k.status, a.id as audit_entry from referral_links k
    left join ${ofLinks("link.updated", of)} a on a.program_id = k.program_id and a.code = k.code
    where ${of("k")} and k.status <> coalesce(a.status, iif(k.program_id in (
      select p.program_id from audit_entries p where p.action = 'program.created'), 'active', k.status))`,
  "partners with a code of the wrong kind": (of) => `
    select p.id as partner, k.id as link from partners p join referral_links k on k.partner_id = p.id
    where ${of("p")} and p.is_synthetic <> (k.code like '~%')`,
  "policies that differ from the audit trail": (of) => `
    select a.id as audit_entry, p.id as policy from audit_entries a
    left join commission_policies p on p.program_id = a.program_id and p.version = ${field("a.after", "version")}
    where ${of("a")} and a.action = 'policy.set' and (p.created_at is not a.created_at or p.operation_id is not a.operation_id
      or a.subject <> coalesce('partner ' || p.partner_id, 'group ' || p.group_id, 'program ' || p.program_id)
      or ${isUnlikePolicy("a.after", "p")})
    union all
    select a.id, p.id from audit_entries a left join commission_policies p on p.id = ${field("a.before", "id")}
    where ${of("a")} and a.action = 'policy.set' and a.before is not null
      and (p.program_id is not a.program_id or ${isUnlikePolicy("a.before", "p")})
    union all
    select null, p.id from commission_policies p
    where ${of("p")} and p.operation_id is not null and not exists (
      select 1 from audit_entries a where a.operation_id = p.operation_id and a.action = 'policy.set')`,
  "policies wrongly marked as the latest, or not marked": (of) => `
    select policy, is_latest from (
      select p.id as policy, p.is_latest, p.version,
        max(p.version) over (partition by p.program_id, p.partner_id, p.group_id) as newest
      from commission_policies p where ${of("p")}
    ) where is_latest <> (version = newest)`,
  "policies that are in force before an earlier version": (of) => `
    select policy, effective_from from (
      select p.id as policy, p.effective_from, p.effective_from
        - lag(p.effective_from) over (partition by p.program_id, p.partner_id, p.group_id order by p.version) as after_ms
      from commission_policies p where ${of("p")}
    ) where after_ms < 0`,
  "rows of an import that isn't in the audit trail": (of) => `
    select a.id as audit_entry, a.action, a.subject from audit_entries a
    where ${of("a")} and a.action in ('partner.created', 'partner.updated', 'link.created', 'adjustment.created',
        'customer.imported', 'customer.updated')
      and instr(a.operation_id, ' ') > 0 and not exists (
        select 1 from audit_entries i where i.operation_id = substr(a.operation_id, 1, instr(a.operation_id, ' ') - 1)
          and i.program_id = a.program_id and (i.action in ('rows.imported', ${countOnly})
            or (i.action = 'application.approved' and a.action = 'partner.created')
            or (i.action in ('partner.erased', 'payout.line_settled_late') and a.action = 'adjustment.created')))`,
  "audit entries whose proposal isn't by a key of the program": (of) => `
    select a.id as audit_entry, a.action, a.via from audit_entries a
    where ${of("a")} and a.via is not null and (a.actor_id like 'key %' or a.actor_id like 'embed %' or not exists (
      select 1 from program_keys k where k.program_id = a.program_id
        and k.id = ${field("a.via", "keyId")}))`,
  "audit entries without a subject": (of) => `
    select a.id as audit_entry, a.action, a.subject from audit_entries a
    where ${of("a")} and not case
      when a.action in ('program.created', 'program.updated', 'program.archived', 'program.restored', 'rows.imported',
          'group.partners_removed')
        then a.subject = 'program ' || a.program_id
      when a.action = 'partner_invitation.revoked' then a.subject = 'partner invitations'
      when a.action in ('partner_invitation.created', 'payment_details.requested') and a.subject like '% partners' then 1
      when a.action = 'terms.created' then a.subject = 'terms'
      when a.action = 'join_page.saved' then a.subject = 'join page'
      when a.action = 'embed.saved' then a.subject = 'embed'
      when a.action like 'application.%'
        then exists (select 1 from applications p
          where p.id = ${subjectId("application", "a")} and p.program_id = a.program_id and a.subject = 'application ' || p.id)
      when a.action like 'claim.%'
        then exists (select 1 from claims k
          where k.id = ${subjectId("claim", "a")} and k.program_id = a.program_id and a.subject = 'claim ' || k.id)
      when a.action in (${aboutPartners}) or (a.action = 'policy.set' and a.subject like 'partner %')
        then exists (select 1 from partners p
          where p.id = ${subjectId("partner", "a")} and p.program_id = a.program_id and a.subject = 'partner ' || p.id)
      when a.action in ('group.created', 'group.updated', 'group.partners_added')
          or (a.action in ('policy.set', 'offer.set') and a.subject like 'group %')
        then exists (select 1 from partner_groups g
          where g.id = ${subjectId("group", "a")} and g.program_id = a.program_id and a.subject = 'group ' || g.id)
      when a.action = 'unit.created'
        then exists (select 1 from units u where u.program_id = a.program_id and a.subject = 'unit ' || u.code)
      when a.action in ('bonus.created', 'bonus.ended', 'bonus.dismissed')
        then exists (select 1 from bonuses b
          where b.id = ${subjectId("bonus", "a")} and b.program_id = a.program_id and a.subject = 'bonus ' || b.id)
      when a.action in ('coupon.created', 'coupon.updated')
        then exists (select 1 from coupons c
          where c.id = ${subjectId("coupon", "a")} and c.program_id = a.program_id and a.subject = 'coupon ' || c.id)
      when a.action in ('policy.set', 'offer.set') then a.subject = 'program ' || a.program_id
      when a.action in ('commission.approved', 'commission.rejected')
        then a.subject = 'commission ' || cast(substr(a.subject, 12) as integer)
      when a.action in ('commission.held', 'commission.released')
        then exists (select 1 from commissions c
          where c.id = ${subjectId("commission", "a")} and c.program_id = a.program_id and a.subject = 'commission ' || c.id)
      when a.action like 'payout.%'
        then exists (select 1 from payouts p
          where p.id = cast(substr(a.subject, 8) as integer) and p.program_id = a.program_id
            and a.subject = 'payout ' || p.id)
          or (a.action in ('payout.created', 'payout.removed') and ${isOfRemoved})
      when a.action like 'customer.%'
        then exists (select 1 from customers u
          where u.id = ${subjectId("customer", "a")} and u.program_id = a.program_id and a.subject = 'customer ' || u.id)
      when a.action in ('person.erased', 'person.exported') then a.subject = 'privacy'
      -- It may be deleted since.
      when a.action like 'webhook.%' then a.subject = 'webhook ' || cast(substr(a.subject, 9) as integer)
      when a.action = 'sale.corrected'
        then exists (select 1 from sales s
          where s.id = ${subjectId("sale", "a")} and s.program_id = a.program_id and a.subject = 'sale ' || s.id)
      else a.action in ('key.created', 'key.updated', 'key.rotated', 'key.ended') and exists (
        select 1 from program_keys k where k.id = ${field("a.after", "keyId")} and k.program_id = a.program_id
          and a.subject like 'key %' || k.last_four) end`,
};
