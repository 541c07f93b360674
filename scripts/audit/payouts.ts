import { field, type Invariants, type Scope } from "./invariant.ts";

const isTaken = "l.state in ('reserving', 'live')";

const balanceColumns = ["pending_cents", "net_cents", "in_payout_cents", "paid_cents"] as const;

/** Each row adds to a partner's sums, so that stored ones minus those of the entries are 0. */
const balanceParts = (of: Scope): string => `
  select b.program_id, b.currency, b.partner_id, ${balanceColumns.map((name) => `b.${name}`).join(", ")}
  from partner_balances b where ${of("b")}
  union all
  select e.program_id, e.currency, e.partner_id,
    iif(e.commission_id is not null and c.approved_at is null, -e.amount_cents, 0),
    iif(e.payout_line_id is null and (e.commission_id is null or c.approved_at is not null), -e.amount_cents, 0),
    iif(e.payout_line_id is null, 0, -e.amount_cents), iif(e.payout_line_id is null, 0, e.amount_cents)
  from ledger_entries e left join commissions c on c.id = e.commission_id where ${of("e")} and e.is_test = 0
  union all
  select l.program_id, l.currency, l.partner_id, 0, e.amount_cents, -e.amount_cents, 0
  from payout_lines l join payout_line_entries t on t.line_id = l.id join ledger_entries e on e.id = t.entry_id
  where ${of("l")}`;

const actions = {
  "payout.created": ["created_at", "created_by"],
  "payout.canceled": ["canceled_at", "canceled_by"],
  "payout.confirmed": ["confirmed_at", "confirmed_by"],
} as const;

/** Earlier releases also counted commissions whose entries in the line sum to 0. */
const countOfLine = `(select count(*) from (
  select 1 from payout_line_entries t where t.line_id = l.id and t.commission_id is not null
  group by t.commission_id having sum(t.amount_cents) <> 0))`;

export const payoutInvariants: Invariants = {
  "balances that are not the sums of their entries": (of) => `
    select program_id as program, currency, partner_id as partner from (${balanceParts(of)})
    group by 1, 2, 3 having ${balanceColumns.map((name) => `sum(${name}) <> 0`).join(" or ")}`,
  "lines that are not the sum of their entries": (of) => `
    select l.id as line, l.amount_cents as amount, l.held_cents as held, coalesce(sum(e.amount_cents), 0) as entries
    from payout_lines l join payouts p on p.id = l.payout_id
    left join payout_line_entries t on t.line_id = l.id left join ledger_entries e on e.id = t.entry_id
    where ${of("l")} group by l.id
    having l.held_cents <> coalesce(sum(e.amount_cents), 0) or l.held_entries <> count(t.entry_id)
      or (l.state = 'live' and p.status in ('final', 'confirming', 'paid')
        and (l.amount_cents <> l.held_cents
          or l.commissions not between ${countOfLine} and count(distinct t.commission_id)))`,
  "entries in a line that is not theirs, or is not live": (of) => `
    select t.entry_id as entry, l.id as line from payout_line_entries t
    left join payout_lines l on l.id = t.line_id left join payouts p on p.id = l.payout_id
    left join ledger_entries e on e.id = t.entry_id left join commissions c on c.id = e.commission_id
    where ${of("e")} and (e.id is null or l.id is null or e.is_test or e.program_id <> l.program_id or e.currency <> l.currency
      or e.amount_cents <> t.amount_cents or e.commission_id is not t.commission_id or e.payout_line_id is not null
      or coalesce(c.partner_id, e.partner_id) <> l.partner_id
      or (e.commission_id is not null and c.approved_at is null)
      or (p.phase is null and (l.state <> 'live' or p.status not in ('final', 'confirming', 'paid'))))`,
  "commissions whose free entries are not those that no line has taken": (of) => `
    select c.id as commission, c.untaken_cents as untaken, count(e.id) as entries from commissions c
    left join ledger_entries e on e.commission_id = c.id
      and not exists (select 1 from payout_line_entries t where t.entry_id = e.id)
    where ${of("c")} group by c.id
    having c.untaken_entries <> count(e.id) or c.untaken_cents <> coalesce(sum(e.amount_cents), 0)`,
  "reserved commissions without a line that holds them, and paid ones without a confirmed one": (of) => `
    select c.id as commission, c.status, l.id as line from commissions c
    left join payout_lines l on l.id = c.line_id left join payouts p on p.id = l.payout_id
    where ${of("c")} and (c.line_id is not null or c.status = 'paid') and (
      not exists (select 1 from payout_line_entries t where t.line_id = c.line_id and t.commission_id = c.id)
      or case c.status
        when 'paid' then p.status not in ('confirming', 'paid') or (p.phase is null and l.state <> 'live')
        when 'approved' then p.status in ('draft', 'paid') or (p.phase is null and (l.state <> 'live' or p.status <> 'final'))
        else 1 end)`,
  "lines of a paid payout without their payment, and payments of others": (of) => `
    select l.id as line, null as entry, l.state from payout_lines l join payouts p on p.id = l.payout_id
    left join ledger_entries e on e.payout_line_id = l.id and e.kind = 'paid'
    left join ledger_entries r on r.payout_line_id = l.id and r.kind = 'returned'
    where ${of("l")} and (l.is_posted <> (e.id is not null) or (l.state = 'failed') <> (r.id is not null)
      or (p.status = 'paid' and l.state in ('live', 'failed') and e.id is null)
      or (e.id is not null and (p.status not in ('confirming', 'paid') or e.amount_cents <> -l.amount_cents
        or e.occurred_at is not p.paid_at))
      or (r.id is not null and (r.amount_cents <> l.amount_cents or r.occurred_at is not l.failed_at)))
    union all
    select null, e.id, e.kind from ledger_entries e left join payout_lines l on l.id = e.payout_line_id
    where ${of("e")} and e.kind in ('paid', 'returned') and (l.id is null or e.partner_id <> l.partner_id
      or e.program_id <> l.program_id or e.currency <> l.currency or e.is_test or e.commission_id is not null)`,
  "payouts that are not their lines": (of) => `
    select p.id as payout, p.total_cents as total, sum(l.amount_cents) as lines from payouts p
    left join payout_lines l on l.payout_id = p.id and l.state in ('proposed', 'live', 'failed')
    where ${of("p")} and p.phase is null group by p.id
    having p.total_cents <> coalesce(sum(l.amount_cents), 0) or p.line_count <> count(l.id)
      or (p.expected_total_cents <> p.total_cents and p.status <> 'draft')
      or p.includes_changed_until > coalesce(p.finalized_at, 0)
    union all
    select p.id, l.id, l.amount_cents from payout_lines l left join payouts p on p.id = l.payout_id
    where ${of("l")} and (p.id is null or p.program_id <> l.program_id or p.currency <> l.currency
      or (p.phase is null and ${isTaken} and p.status = 'draft')
      or (l.state in ('proposed', 'live', 'failed') and l.amount_cents < p.minimum_cents))`,
  "adjustments without exactly their entry, and entries without an adjustment": (of) => `
    select a.id as adjustment, e.id as entry from adjustments a
    left join ledger_entries e on e.adjustment_id = a.id left join payout_line_entries t on t.entry_id = e.id
    where ${of("a")} and (e.id is null or e.kind <> 'adjusted' or e.partner_id <> a.partner_id
      or e.program_id <> a.program_id or e.currency <> a.currency or e.amount_cents <> a.amount_cents
      or t.line_id is not a.line_id)
    union all
    select a.id, e.id from ledger_entries e left join adjustments a on a.id = e.adjustment_id
    where ${of("e")} and e.kind = 'adjusted' and (a.id is null or e.is_test)`,
  "payouts whose steps are not those of the audit trail": (of) => `
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
    where ${of("p")} and ((a.id is not null) <> (p.finalized_at is not null and p.status <> 'finalizing')
      or a.actor_id <> p.finalized_by or a.created_at < p.finalized_at)
    union all
    select p.id, a.action from audit_entries a left join payouts p on a.subject = 'payout ' || p.id
    where ${of("a")} and a.action = 'payout.created' and not (p.id is null and exists (
      select 1 from audit_entries r where r.program_id = a.program_id and r.subject = a.subject and r.action = 'payout.removed'
    )) and (p.program_id is not a.program_id
      or ${field("a.after", "reference")} is not p.reference or ${field("a.after", "until")} is not p.until
      or ${field("a.after", "currency")} is not p.currency
      or ${field("a.after", "minimumCents")} is not p.minimum_cents
      or ${field("a.after", "partnerIds")} is not p.partner_ids)
    union all
    select p.id, a.action from audit_entries a join payouts p on a.subject = 'payout ' || p.id
    where ${of("a")} and a.action = 'payout.confirmed' and (${field("a.after", "totalCents")} is not p.total_cents
      or ${field("a.after", "paidAt")} is not p.paid_at or ${field("a.after", "note")} is not p.note)`,
  "failed lines that are not in the audit trail": (of) => `
    select l.id as line from payout_lines l
    left join audit_entries a on a.program_id = l.program_id and a.action = 'payout.line_failed'
      and a.subject = 'payout ' || l.payout_id and ${field("a.after", "partnerId")} = l.partner_id
    where ${of("l")} and l.state = 'failed' and (a.created_at is not l.failed_at or a.actor_id is not l.failed_by
      or ${field("a.after", "reason")} is not l.failure)`,
};
