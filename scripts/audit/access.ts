import { field, type Invariants, typedField } from "./invariant.ts";

const partnerInSubject = "cast(substr(a.subject, 9) as integer)";

/** An account's access to a partner according to the audit trail: the last entry about this access. */
const toldAccess = (of: (alias: string) => string): string => `(
  select told.*, row_number() over (partition by program_id, partner_id, account_id order by id desc) as age from (
    select a.id, a.program_id, ${partnerInSubject} as partner_id, ${typedField("a.after", "accountId", "text")} as account_id,
      ${field("a.after", "role")} as role, a.created_at
    from audit_entries a where ${of("a")} and a.action = 'partner_access.granted'
    union all
    select a.id, a.program_id, ${typedField("a.after", "partnerId", "integer")}, ${typedField("a.after", "accountId", "text")}, ${field("a.after", "role")}, a.created_at
    from audit_entries a where ${of("a")} and a.action = 'application.approved'
    union all
    select a.id, a.program_id, ${partnerInSubject}, ${typedField("a.before", "accountId", "text")}, null, a.created_at
    from audit_entries a where ${of("a")} and a.action = 'partner_access.ended'
  ) told)`;

const toldTerms = (of: (alias: string) => string): string => `(
  select a.program_id, ${partnerInSubject} as partner_id, ${typedField("a.after", "accountId", "text")} as account_id,
    ${typedField("a.after", "version", "integer")} as version, a.created_at as accepted_at
  from audit_entries a where ${of("a")} and a.action = 'terms.accepted'
  union all
  select a.program_id, ${partnerInSubject}, ${typedField("a.after", "accountId", "text")}, ${typedField("a.after", "termsVersion", "integer")}, a.created_at
  from audit_entries a where ${of("a")} and a.action = 'partner_access.granted'
  union all
  select a.program_id, ${typedField("a.after", "partnerId", "integer")}, ${typedField("a.after", "accountId", "text")}, ${typedField("a.after", "termsVersion", "integer")}, null
  from audit_entries a where ${of("a")} and a.action = 'application.approved')`;

/** SQL for the mode of a program's join page at the time of an entry in the audit trail. */
const modeAt = (entry: string): string => `(
  select ${field("m.after", "mode")} from audit_entries m
  where m.program_id = ${entry}.program_id and m.subject = 'join page' and m.action = 'join_page.saved' and m.id < ${entry}.id
    and ${field("m.after", "mode")} is not null
  order by m.id desc limit 1)`;

export const accessInvariants: Invariants = {
  "accounts whose access to a partner differs from the audit trail": (of) => `
    select p.partner_id as partner, p.account_id as account, p.role from partner_accounts p
    left join ${toldAccess(of)} a on a.age = 1 and a.program_id = p.program_id and a.partner_id = p.partner_id and a.account_id = p.account_id
    where ${of("p")} and (a.role is not p.role or a.created_at is not p.created_at
      or not exists (select 1 from partners r where r.id = p.partner_id and r.program_id = p.program_id))
    union all
    select a.partner_id, a.account_id, a.role from ${toldAccess(of)} a
    where a.age = 1 and a.role is not null and not exists (
      select 1 from partner_accounts p where p.partner_id = a.partner_id and p.account_id = a.account_id)`,
  "open join pages without the settings that they require": (of) => `
    select j.program_id as program, p.lead_auth, p.self_referral from join_pages j join programs p on p.id = j.program_id
    where ${of("j")} and j.mode = 'open' and (p.lead_auth <> 'server_required' or p.self_referral <> 'hold')`,
  "applications approved by neither a member nor an open page": (of) => `
    select p.id as application, p.opened_on from applications p
    left join audit_entries a on a.program_id = p.program_id and a.action = 'application.approved' and a.subject = 'application ' || p.id
    where ${of("p")} and p.status = 'approved' and (a.id is null or ${field("a.after", "openedOn")} is not p.opened_on
      or (p.opened_on is not null and (a.actor_id <> p.account_id or ${modeAt("a")} is not 'open')))`,
  "days on which an open page approved too many applications": (of) => `
    select p.program_id as program, p.opened_on as day, count(*) as approved from applications p
    where ${of("p")} and p.opened_on is not null group by p.program_id, p.opened_on having count(*) > 200`,
  "accepted terms that differ from the audit trail": (of) => `
    select t.partner_id as partner, t.account_id as account, t.version from accepted_terms t
    left join ${toldTerms(of)} a on a.program_id = t.program_id and a.partner_id = t.partner_id and a.account_id = t.account_id
      and a.version = t.version
    where ${of("t")} and (a.version is null or coalesce(a.accepted_at, t.accepted_at) <> t.accepted_at
      or not exists (select 1 from partner_terms v where v.program_id = t.program_id and v.version = t.version))
    union all
    select a.partner_id, a.account_id, a.version from ${toldTerms(of)} a
    where a.version is not null and not exists (select 1 from accepted_terms t
      where t.partner_id = a.partner_id and t.account_id = a.account_id and t.version = a.version)`,
};
