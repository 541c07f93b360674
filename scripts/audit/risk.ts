import { clockToleranceMs } from "#domain/calendar.ts";
import { duplicateWithinMs } from "#domain/risk.ts";
import { field, type Invariants } from "./invariant.ts";
import { isMoved, movedFrom } from "./refunds.ts";

const isLive = "g.effect = 'hold' and g.ended_at is null";

/** True if a correction copied the signal unchanged from an earlier version of the sale. */
const carried = `select 1 from sales f join commissions b on b.sale_id = f.id
  join commission_signals k on k.commission_id = b.id and k.code = g.code and k.raised_at = g.raised_at and k.effect = g.effect
    and k.evidence = g.evidence and k.note_id is g.note_id
  where (f.id = s.corrected_sale_id or f.corrected_sale_id = s.corrected_sale_id)
    and coalesce(f.correction, 0) < s.correction`;
const isCarried = `exists (${carried})`;
const isEndedBefore = `exists (${carried} and k.ended_at = g.ended_at and k.ended_by = g.ended_by)`;

/**
 * True for a manual hold whose note contains the commission of an earlier version of the sale. One query is enough,
 * regardless of the number of corrections.
 */
const isNotedBefore = `exists (
  select 1 from commissions b cross join sales f on f.id = b.sale_id
  join commission_signals k on k.commission_id = b.id and k.code = g.code and k.raised_at = g.raised_at and k.note_id = g.note_id
  where b.id = cast(substr(n.subject, 12) as integer) and coalesce(f.correction, 0) < s.correction
    and (f.id = s.corrected_sale_id or f.corrected_sale_id = s.corrected_sale_id))`;

const ofCommission = `commission_signals g join commissions c on c.id = g.commission_id join sales s on s.id = c.sale_id`;

/** Joins the sale with which the duplicate was compared. */
const otherSale = `sales n on n.program_id = g.program_id and n.is_test = g.is_test
  and n.id = ${field("g.evidence", "saleId")}`;

const decidedAt = field("c.explanation", "decidedAt");

/**
 * True if a decision raised the signal, either when the sale was recorded or when it first earned a commission, for
 * example by a coupon.
 */
const isRaisedByDecision = `g.raised_at in (c.created_at, ${decidedAt}) or ${isMoved}
  or (c.source = 'click' and g.raised_at between c.created_at and ${decidedAt})`;

const reviewed = "cast(substr(a.subject, 12) as integer)";

export const riskInvariants: Invariants = {
  "held commissions that aren't pending, or are payable": (of) => `
    select c.id as commission, c.status, c.payable_number from commissions c
    where ${of("c")} and c.held_at is not null
      and (c.status not in ('pending', 'reversed') or c.payable_number is not null)`,
  "commissions whose hold doesn't match their signals": (of) => `
    select c.id as commission, c.held_at, h.held_at as since, c.review_until, h.review_until as until from commissions c
    left join (
      select g.commission_id, min(g.raised_at) as held_at,
        iif(count(*) = count(g.review_until), max(g.review_until), null) as review_until
      from commission_signals g where ${of("g")} and ${isLive} group by g.commission_id
    ) h on h.commission_id = c.id
    where ${of("c")} and (c.held_at is not iif(c.status = 'void', null, h.held_at)
      or c.review_until is not iif(c.status = 'void', null, h.review_until))`,
  "commissions approved automatically while they were held": (of) => `
    select c.id as commission, g.code, c.approved_at from commissions c join commission_signals g on g.commission_id = c.id
    where ${of("c")} and c.approved_by = 'hold' and g.effect = 'hold' and g.raised_at < c.approved_at
      and (g.ended_at is null or g.ended_at > c.approved_at + ${clockToleranceMs})`,
  "signals whose book, program or partner differs from their commission's": (of) => `
    select g.commission_id as commission, g.code, g.partner_id as partner from commission_signals g
    left join commissions c on c.id = g.commission_id left join partners p on p.id = g.partner_id
    where ${of("g")} and (c.id is null or c.program_id <> g.program_id or c.is_test <> g.is_test
      or (g.partner_id is not null)
        <> (g.code in ('self_referral', 'self_referral_similar', 'blocked_source', 'many_sources'))
      or (g.partner_id is not null and p.program_id is not g.program_id)
      or (g.partner_id is not null and g.ended_at is null and g.partner_id is not c.partner_id))`,
  "signals raised before their commission, or without their cause": (of) => `
    select g.commission_id as commission, g.code, g.raised_at from ${ofCommission} left join ${otherSale}
    where ${of("g")} and ((g.raised_at < c.created_at - ${clockToleranceMs} and not (${isCarried}))
      or case g.code
        when 'duplicate_source' then n.id is null or n.id = s.id or n.occurred_at is not ${field("g.evidence", "occurredAt")}
          or (s.corrected_sale_id is null and (n.amount_cents <> s.amount_cents or n.currency <> s.currency
            or abs(n.occurred_at - s.occurred_at) > ${duplicateWithinMs} or not (${isRaisedByDecision})))
        when 'blocked_source' then coalesce(${field("g.evidence", "host")}, '') = ''
        else g.evidence <> '{}' end)`,
  "signals that a person ended without a decision in the audit trail": (of) => `
    select g.commission_id as commission, g.code, g.ended_at from ${ofCommission}
    left join audit_entries a on a.program_id = g.program_id and a.subject = 'commission ' || g.commission_id
      and a.action in ('commission.released', 'commission.approved', 'commission.rejected') and a.created_at = g.ended_at
    where ${of("g")} and g.ended_by = 'person' and a.id is null and not (${isEndedBefore})`,
  "signals that ended automatically before their review period was over": (of) => `
    select g.commission_id as commission, g.code, g.ended_at, g.review_until from commission_signals g
    where ${of("g")} and g.ended_by = 'time' and (g.review_until is null or g.ended_at < g.review_until)`,
  "signals ended by a change of partner, of sales whose partner didn't change": (of) => `
    select g.commission_id as commission, g.code, g.partner_id as partner from ${ofCommission}
    where ${of("g")} and g.ended_by = 'move' and not (${isEndedBefore})
      and not (${isMoved} and (c.partner_id is not g.partner_id or ${movedFrom} is not g.partner_id))`,
  "manual holds without an audit entry, and audit entries without their hold": (of) => `
    with held as materialized (
      select min(a.id) as id, a.program_id, a.subject, a.created_at, ${reviewed} as commission,
        cast(${field("a.after", "reason.note")} as integer) as note
      from audit_entries a where ${of("a")} and a.action = 'commission.held' group by a.program_id, a.subject, note
    ), noted as materialized (
      select distinct g.commission_id as commission, g.note_id as note from commission_signals g
      where ${of("g")} and g.note_id is not null
    )
    select g.commission_id as commission, g.raised_at, a.id as audit_entry from ${ofCommission}
    left join notes n on n.id = g.note_id
    left join held a on a.note = n.id and a.program_id = g.program_id and a.subject = n.subject
    where ${of("g")} and ((g.code = 'by_hand') <> (g.note_id is not null) or (g.note_id is not null
      and (n.program_id is not g.program_id or a.id is null or g.raised_at < a.created_at
        or (n.subject <> 'commission ' || g.commission_id and not (${isNotedBefore})))))
    union all
    select a.commission, null, a.id from held a left join noted g on g.note = a.note and g.commission = a.commission
    where g.commission is null`,
  "audit entries of reviews that change an amount, or have an impossible state": (of) => `
    select a.id as audit_entry, a.action from audit_entries a
    where ${of("a")} and a.action in ('commission.held', 'commission.released')
      and (${field("a.after", "amountCents")} is not ${field("a.before", "amountCents")}
        or coalesce(${field("a.after", "status")}, '') not in ('pending', iif(a.action = 'commission.released', 'approved', ''),
          iif(a.action = 'commission.released', 'reversed', '')))`,
  "partners with an address but no digest of it, or a digest but no address": (of) => `
    select p.id as partner from partners p where ${of("p")} and (p.email is null) <> (p.email_hash is null)`,
};
