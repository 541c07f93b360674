import { field, type Invariants, type Scope } from "./invariant.ts";

/**
 * True for an audit entry with a new email address, including the creation of a partner by a key. Release 0.1.0 didn't
 * mark such creations with `unconfirmed`.
 */
const isNewAddress = `(a.action = 'partner.updated' and json_type(a.after, '$.email') is not null
  or a.action = 'partner.created' and ${field("a.after", "unconfirmed")} is not null)`;
/**
 * True for an audit entry that replaces an email address. A first address also counts if it was set by a key, or by an
 * account whose access is newer than the partner's first commission.
 */
const replacesAddress = `(${field("a.before", "email")} is not null or ${field("a.after", "unconfirmed")} is not null)`;
const isNewVersion = "a.action = 'payment_details.changed'";

/**
 * The audit entries that may have replaced a partner's payment details, in order. `first` is the first of them that
 * replaced something.
 */
const replacements = (of: Scope): string => `(
  select a.id, a.program_id, a.subject, a.created_at, ${isNewVersion} as is_version, a.replaces,
    min(iif(a.replaces, a.id, null)) over (partition by a.program_id, a.subject) as first
  from (
    select a.*, iif(${isNewVersion}, ${field("a.after", "replaces")}, ${replacesAddress}) as replaces
    from audit_entries a where ${of("a")} and ((${isNewAddress}) or ${isNewVersion})
  ) a)`;

const isOfPartner = "a.program_id = d.program_id and a.subject = 'partner ' || d.partner_id";

/**
 * True if a version of payment details replaces nothing. A partner's first version redirects no payment unless there
 * was a payment or another change before. Stops at the first row that shows one of these.
 */
const replacesNothing = `iif(d.replaced is not null, 0, not exists (
    select 1 from audit_entries a where ${isOfPartner} and a.created_at < d.created_at and ${isNewAddress} and ${replacesAddress})
  and not exists (
    select 1 from audit_entries a where ${isOfPartner} and ${isNewVersion} and ${field("a.after", "paymentId")} = d.id
      and ${field("a.after", "unconfirmed")} is not null)
  and not exists (
    select 1 from payout_lines l join payouts p on p.id = l.payout_id
    where l.partner_id = d.partner_id and l.state in ('live', 'failed') and p.finalized_number < d.id
      and coalesce(p.canceled_number > d.id, 1)))`;

export const paymentInvariants: Invariants = {
  // A first email address counts as a change only if it was set by a key, or by an account whose access is newer than
  // the partner's first commission. Every later address is a change, even if the address was removed in between.
  "partners whose details were last replaced at another time than the audit trail says": (of) => `
    select p.id as partner, p.details_changed_at, x.at as audited_at from partners p left join (
      select a.program_id, a.subject, max(iif(a.id >= a.first and (a.replaces or not a.is_version), a.created_at, null)) as at
      from ${replacements(of)} a group by a.program_id, a.subject
    ) x on x.program_id = p.program_id and x.subject = 'partner ' || p.id
    where ${of("p")} and p.details_changed_at is not x.at`,
  "payment details that differ from the audit trail": (of) => `
    select version, max(audit_entry) as audit_entry from (
      select d.id as version, null as audit_entry, d.program_id, 'partner ' || d.partner_id as subject, d.set_by as by, d.created_at as at,
        coalesce(d.method, '') as method, not (${replacesNothing}) as replaces,
        coalesce(d.replaced, 0) as replaced
      from (select d.*, lag(d.id) over (partition by d.partner_id order by d.id) as replaced
        from payment_details d where ${of("d")}) d
      union all
      select ${field("a.after", "paymentId")}, a.id, a.program_id, a.subject, a.actor_id, a.created_at,
        coalesce(${field("a.after", "method")}, ''), ${field("a.after", "replaces")}, coalesce(${field("a.before", "paymentId")}, 0)
      from audit_entries a where ${of("a")} and ${isNewVersion}
    ) group by version having count(*) <> 2
      or ${["program_id", "subject", "by", "at", "method", "replaces", "replaced"].map((name) => `min(${name}) <> max(${name})`).join(" or ")}`,
  "lines with other payment details than the partner's newest when their payout was finalized": (of) => `
    select l.id as line, l.payment_id as version from payout_lines l join payouts p on p.id = l.payout_id
    where ${of("l")} and l.payment_id is not iif(p.finalized_number is null, null, (
      select iif(d.method is null, null, d.id) from payment_details d
      where d.partner_id = l.partner_id and d.id < p.finalized_number order by d.id desc limit 1))`,
};
