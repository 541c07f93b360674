import { field, type Invariants, type Scope } from "./invariant.ts";

const accounts = ["pending_cents", "payable_cents", "in_payout_cents", "paid_cents"] as const;

/** Condition: line `l` of payout `p` was paid, even if its payment was returned later. */
const isPaid =
  "iif(p.settled_by = 'api', l.settled_at is not null, p.status = 'paid' and l.state in ('live', 'failed'))";

/** Adds up stored sums and subtracts those of entries and lines, so that the result is 0 for each account. */
const accountParts = (of: Scope): string => `
  select b.program_id, b.currency, b.partner_id, ${accounts.map((name) => `b.${name}`).join(", ")}
  from partner_balances b where ${of("b")}
  union all
  select e.program_id, e.currency, e.partner_id, iif(c.payable_number is null, -e.amount_cents, 0),
    iif(c.payable_number is null, 0, -e.amount_cents), 0, 0
  from ledger_entries e join commissions c on c.id = e.commission_id where ${of("e")} and e.is_test = 0
  union all
  select e.program_id, e.currency, e.partner_id, 0, iif(e.kind = 'paid', 0, -e.amount_cents), 0,
    iif(e.kind = 'adjusted', 0, e.amount_cents)
  from ledger_entries e where ${of("e")} and e.commission_id is null
  union all
  select l.program_id, l.currency, l.partner_id, 0, l.amount_cents, iif(${isPaid}, 0, -l.amount_cents), 0
  from payout_lines l join payouts p on p.id = l.payout_id
  where ${of("l")} and p.status in ('final', 'paid') and l.state in ('live', 'failed') and l.given_back_number is null`;

const actions = {
  "payout.created": ["created_at", "created_by"],
  "payout.canceled": ["canceled_at", "canceled_by"],
  "payout.confirmed": ["confirmed_at", "confirmed_by"],
} as const;

/**
 * True if an adjustment was recorded before line `l` failed. Such an adjustment may have the reference that a late
 * settlement of the line would get, without being one. Compares the ids of notes too: ids have the order of commits,
 * while instants have the order in which calls arrived.
 */
const isBeforeFailure = (alias: string) => `${alias}.created_at < l.failed_at and ${alias}.reason_id < l.failure_id`;

const payoutId = "cast(substr(a.subject, 8) as integer)";

/**
 * Condition: at the instant `p.due_at`, a line of payout `p` failed or was canceled, after a member had acknowledged a
 * restore for the payout.
 */
const isDueAfterRestore = `
  exists (select 1 from audit_entries a where a.program_id = p.program_id and a.subject = 'payout ' || p.id
    and a.action in ('payout.line_failed', 'payout.rest_canceled') and a.created_at = p.due_at)
  and exists (select 1 from audit_entries a where a.program_id = p.program_id and a.subject = 'payout ' || p.id
    and a.created_at <= p.due_at and ${field("a.after", "restoredAt")} is not null)`;

// The following conditions join values into one text, because SQLite scans the whole list for a row of several values
// that the list lacks.

export const isOfRemoved = `a.program_id || ' ' || a.subject in (
  select r.program_id || ' ' || r.subject from audit_entries r where r.action = 'payout.removed')`;

const unlikeSettlement = (
  at: string,
  id: string,
): string => `(l.id is null or l.${at} is not ${field("a.after", "settledAt")}
        or l.${id} is not ${field("a.after", "settlementId")} or l.partner_id is not ${field("a.after", "partnerId")}
        or l.amount_cents is not ${field("a.after", "amountCents")})`;

/** Condition: line `l` was canceled with all other unpaid lines of its payout. These lines share one audit entry. */
const isCanceled = (of: Scope): string => `coalesce(
  l.payout_id || ' ' || l.failed_at || ' ' || l.failure_id || ' ' || l.failed_by in (
    select ${payoutId} || ' ' || a.created_at || ' ' || ${field("a.after", "reason.note")} || ' ' || a.actor_id
    from audit_entries a where ${of("a")} and a.action = 'payout.rest_canceled'
      and ${field("a.after", "reason.note")} is not null), 0)`;

const failedLine = { payout: payoutId, partner: field("a.after", "partnerId") };
const failedKey = `${failedLine.payout} || ' ' || ${failedLine.partner}`;

export const payoutInvariants: Invariants = {
  "accounts that don't match entries and lines": (of) => `
    select program_id as program, currency, partner_id as partner from (${accountParts(of)})
    group by 1, 2, 3 having ${accounts.map((name) => `sum(${name}) <> 0`).join(" or ")}`,
  "lines of a paid payout without their payment, and payments of other lines": (of) => `
    select l.id as line, null as entry, l.state from payout_lines l join payouts p on p.id = l.payout_id
    left join ledger_entries e on e.payout_line_id = l.id and e.kind = 'paid'
    left join ledger_entries r on r.payout_line_id = l.id and r.kind = 'returned'
    where ${of("l")} and (${isPaid} <> (e.id is not null)
      or (l.state = 'failed' and l.given_back_number is null) <> (r.id is not null)
      or e.amount_cents <> -l.amount_cents
      or (e.id is not null and e.occurred_at is not iif(p.settled_by = 'api', l.settled_at, p.paid_at))
      or r.amount_cents <> l.amount_cents or (r.id is not null and r.occurred_at is not l.failed_at)
      or e.id <= p.finalized_number or r.id <= e.id)
    union all
    select null, e.id, e.kind from ledger_entries e left join payout_lines l on l.id = e.payout_line_id
    where ${of("e")} and e.kind in ('paid', 'returned') and (l.id is null or e.partner_id <> l.partner_id
      or e.program_id <> l.program_id or e.currency <> l.currency or e.is_test or e.commission_id is not null)`,
  "statements that are not numbered in the order of the partner's payments, or mailed without an entry": (of) => `
    select line, partner_id as partner, statement_number as number, expected from (
      select l.id as line, l.partner_id, l.statement_number, iif(e.id is null, null,
        row_number() over (partition by l.partner_id, e.id is null order by e.id)) as expected
      from payout_lines l left join ledger_entries e on e.payout_line_id = l.id and e.kind = 'paid' where ${of("l")}
    ) where statement_number is not expected
    union all
    select l.id, l.partner_id, l.statement_number, null from payout_lines l
    where ${of("l")} and l.statement_mailed_at is not null and (l.statement_number is null
      or l.program_id || ' payout ' || l.payout_id || ' ' || l.statement_mailed_at not in (
        select a.program_id || ' ' || a.subject || ' ' || a.created_at from audit_entries a
        where ${of("a")} and a.action in ('payout.confirmed', 'payout.line_settled', 'payout.statements_mailed')))`,
  "payouts that don't match their lines": (of) => `
    select p.id as payout, null as line, p.total_cents as total, sum(l.amount_cents) as lines from payouts p
    left join payout_lines l on l.payout_id = p.id and l.state in ('proposed', 'live', 'failed')
    where ${of("p")} group by p.id
    having p.total_cents <> coalesce(sum(l.amount_cents), 0) or p.line_count <> count(l.id)
    union all
    select l.payout_id, l.id, l.amount_cents, null from payout_lines l left join payouts p on p.id = l.payout_id
    left join partners k on k.id = l.partner_id
    where ${of("l")} and (p.id is null or p.program_id <> l.program_id or p.currency <> l.currency
      or k.program_id is not l.program_id or (l.state <> 'skipped' and l.amount_cents < max(1, p.minimum_cents)))`,
  "lines whose state doesn't match their payout, or that lack a reason or their draft's values": (of) => `
    select l.id as line, l.state, l.reason, l.before_cents from payout_lines l join payouts p on p.id = l.payout_id
    where ${of("l")} and ((l.state = 'skipped') <> (l.reason is not null)
      or l.commissions < 0 or l.commissions_cents < 0 or (l.commissions = 0 and l.commissions_cents > 0)
      or (l.before_cents is null) <> (p.finalized_number is null) or (l.before_cents <> 0 and l.before_cents < p.minimum_cents)
      or (l.state <> 'skipped' and (l.state = 'proposed') <> (p.finalized_number is null))
      or (l.state = 'failed' and p.settled_by = 'person' and p.status <> 'paid'))`,
  "payouts settled by API that don't match their lines": (of) => `
    select p.id as payout, p.status, x.settled, x.given_back, x.returned from payouts p
    join (
      select l.payout_id, sum(l.state = 'live' and l.settled_at is null) as open,
        sum(iif(l.settled_at is null, 0, l.amount_cents)) as settled,
        sum(iif(l.given_back_number is null, 0, l.amount_cents)) as given_back,
        sum(iif(l.state = 'failed' and l.settled_at is not null, l.amount_cents, 0)) as returned,
        sum(l.state = 'failed' and (l.settled_at is null) <> (l.given_back_number is not null)) as wrong,
        sum(coalesce(l.settled_at, l.late_settled_at, l.given_back_number) is not null) as parts
      from payout_lines l where ${of("l")} group by l.payout_id
    ) x on x.payout_id = p.id
    where ${of("p")} and (x.settled <> p.settled_cents or x.given_back <> p.given_back_cents or x.returned <> p.returned_cents
      or x.wrong > 0 and p.settled_by = 'api' or (p.settled_by = 'person' or p.finalized_number is null) and x.parts > 0
      or p.settled_by = 'api' and p.finalized_number is not null
        and p.status <> iif(x.open > 0, 'final', iif(x.settled > 0, 'paid', 'canceled')))`,
  "late settlements without exactly their adjustment, and such adjustments without a late settlement": (of) => `
    select l.id as line, a.id as adjustment from payout_lines l
    left join adjustments o on o.program_id = l.program_id and o.partner_id = l.partner_id
      and o.reference = 'settled:' || l.id and ${isBeforeFailure("o")}
    left join adjustments a on a.program_id = l.program_id and a.partner_id = l.partner_id
      and a.reference = 'settled:' || l.id || iif(o.id is null, '', ':late')
    where ${of("l")} and l.late_settled_at is not null
      and (a.id is null or a.amount_cents <> -l.amount_cents or a.currency <> l.currency)
    union all
    select l.id, a.id from adjustments a
    join payout_lines l on a.reference in ('settled:' || l.id, 'settled:' || l.id || ':late')
      and l.id = cast(substr(a.reference, 9) as integer) and l.program_id = a.program_id and l.partner_id = a.partner_id
    where ${of("a")} and substr(a.reference, 1, 8) = 'settled:' and l.late_settled_at is null and not (${isBeforeFailure("a")})`,
  "settled lines that differ from the audit trail": (of) => `
    select l.id as line, a.id as audit_entry from audit_entries a
    left join payout_lines l on l.id = ${field("a.after", "lineId")} and l.program_id = a.program_id and l.payout_id = ${payoutId}
    where ${of("a")} and case a.action
      when 'payout.line_settled' then ${unlikeSettlement("settled_at", "settlement_id")}
      when 'payout.line_settled_late' then ${unlikeSettlement("late_settled_at", "late_settlement_id")} end
    union all
    select l.id, null from payout_lines l
    join (select 'payout.line_settled' as action union all select 'payout.line_settled_late') x
    where ${of("l")} and iif(x.action = 'payout.line_settled', l.settled_at, l.late_settled_at) is not null
      and x.action || ' ' || l.id not in (
        select a.action || ' ' || ${field("a.after", "lineId")} from audit_entries a
        where ${of("a")} and a.action in ('payout.line_settled', 'payout.line_settled_late') and ${field("a.after", "lineId")} is not null)
    union all
    select ${field("a.after", "lineId")} as line, max(a.id) from audit_entries a
    where ${of("a")} and a.action in ('payout.line_settled', 'payout.line_settled_late')
    group by a.action, line having count(*) > 1`,
  "ranges that overlap, or don't belong to an active line up to its cutoff": (of) => `
    select r.partner_id as partner, l.id as line, r.payout_id as payout, r.from_number as after, r.to_number as up_to from (
      select r.*, lag(r.to_number) over (partition by r.program_id, r.currency, r.partner_id order by r.to_number) as before
      from payout_ranges r where ${of("r")}
    ) r left join payout_lines l on l.payout_id = r.payout_id and l.partner_id = r.partner_id
    left join payouts p on p.id = l.payout_id
    where l.state is not 'live' or p.status not in ('final', 'paid') or p.program_id is not r.program_id
      or p.currency is not r.currency or r.to_number > p.cut or r.from_number < max(0, coalesce(r.before, 0))
      or r.from_number >= r.to_number`,
  "adjustments without exactly their entry, and entries without an adjustment": (of) => `
    select a.id as adjustment, e.id as entry from adjustments a left join ledger_entries e on e.adjustment_id = a.id
    where ${of("a")} and (e.id is null or e.kind <> 'adjusted' or e.partner_id <> a.partner_id
      or e.program_id <> a.program_id or e.currency <> a.currency or e.amount_cents <> a.amount_cents)
    union all
    select a.id, e.id from ledger_entries e left join adjustments a on a.id = e.adjustment_id
    where ${of("e")} and e.kind = 'adjusted' and (a.id is null or e.is_test)`,
  "payouts whose steps differ from the audit trail": (of) => `
    select p.id as payout, x.action from payouts p
    join (${Object.keys(actions)
      .map((action) => `select '${action}' as action`)
      .join(" union all ")}) x
    left join audit_entries a on a.program_id = p.program_id and a.subject = 'payout ' || p.id and a.action = x.action
    where ${of("p")} and case x.action ${Object.entries(actions)
      .map(
        ([action, [at, by]]) =>
          `when '${action}' then a.created_at is not p.${at} or (p.${at} is not null and a.actor_id is not p.${by})`,
      )
      .join(" ")} end
    union all
    select p.id, a.action from payouts p
    left join audit_entries a on a.program_id = p.program_id and a.subject = 'payout ' || p.id and a.action = 'payout.finalized'
    where ${of("p")} and ((a.id is not null) <> (p.finalized_at is not null)
      or a.actor_id <> p.finalized_by or a.created_at <> p.finalized_at
      or (a.id is not null and coalesce(${field("a.after", "settledBy")}, 'person') <> p.settled_by) or ${field("a.after", "totalCents")} <> p.total_cents)
    union all
    select p.id, a.action from audit_entries a left join payouts p on p.id = ${payoutId}
    where ${of("a")} and a.action = 'payout.created' and not (p.id is null and ${isOfRemoved}) and (p.program_id is not a.program_id
      or ${field("a.after", "reference")} is not p.reference or ${field("a.after", "until")} is not p.until
      or ${field("a.after", "currency")} is not p.currency
      or ${field("a.after", "minimumCents")} is not p.minimum_cents
      or ${field("a.after", "partnerIds")} is not p.partner_ids)
    union all
    select p.id, a.action from audit_entries a join payouts p on p.id = ${payoutId}
    where ${of("a")} and a.action = 'payout.confirmed' and (${field("a.after", "totalCents")} is not p.total_cents
      or (p.settled_by = 'person' and ${field("a.after", "paidAt")} is not p.paid_at)
      or ${field("a.after", "note.note")} is not p.note_id)
    union all
    select p.id, 'payout.settled' from payouts p
    left join audit_entries a on a.program_id = p.program_id and a.subject = 'payout ' || p.id and a.action = 'payout.settled'
    where ${of("p")} and (p.settled_by = 'api' and p.status = 'paid' or a.id is not null) and (p.settled_by <> 'api'
      or a.created_at is not p.paid_at or ${field("a.after", "paidAt")} is not p.paid_at)
    union all
    select p.id, 'due' from payouts p
    where ${of("p")} and (p.due_at not in (p.finalized_at, coalesce(p.confirmed_at, p.finalized_at)) and not (${isDueAfterRestore})
      or p.due_at is null and p.settled_by = 'api' and (p.confirmed_at is not null or p.settled_cents > 0))`,
  "failed lines that are not in the audit trail": (of) => `
    select l.id as line, a.id as audit_entry from audit_entries a
    left join payout_lines l on l.payout_id = ${failedLine.payout} and l.partner_id = ${failedLine.partner}
    where ${of("a")} and a.action = 'payout.line_failed' and (l.state is not 'failed' or l.program_id <> a.program_id
      or a.created_at is not l.failed_at or a.actor_id is not l.failed_by
      or ${field("a.after", "reason.note")} is not l.failure_id
      or ${field("a.after", "partnerNote.note")} is not l.partner_note_id
      or ${field("a.before", "amountCents")} is not l.amount_cents)
    union all
    select l.id, null from payout_lines l where ${of("l")} and l.state = 'failed' and not ${isCanceled(of)}
      and l.payout_id || ' ' || l.partner_id not in (
        select ${failedKey} from audit_entries a
        where ${of("a")} and a.action = 'payout.line_failed' and ${failedLine.partner} is not null)`,
};
