import { field, type Invariants } from "./invariant.ts";

export const movedFrom = field("c.explanation", "movedFrom.partnerId");
export const isMoved = `${movedFrom} is not null`;

/** True if another sale has the customer's only commission, so that this sale's initial amount counts as 0. */
export const isOneTimeUsed = `c.initial_cents = 0 and c.sale_id in (
  select u.sale_id from refunds u where u.outcome_reason = 'one_time_used')`;

// A list of sales, because a query per sale would read all refunds of the sale each time.
const hasCancel = "s.id in (select k.sale_id from refunds k where k.asked in ('cancel', 'cancel_total'))";

export const refundInvariants: Invariants = {
  "sales whose refunded amount differs from their refunds, or exceeds the sale": (of) => `
    select s.id as sale, s.refunded_cents as refunded, coalesce(sum(r.refunded_cents), 0) as refunds,
      coalesce(sum(r.counted_cents), 0) as counted
    from sales s left join refunds r on r.sale_id = s.id
    where ${of("s")} group by s.id
    having s.refunded_cents <> coalesce(sum(r.refunded_cents), 0)
      or s.refunded_cents <> coalesce(sum(r.counted_cents), 0) or s.refunded_cents > s.amount_cents`,
  "refunds with a wrong running total": (of) => `
    select refund, total, running from (
      select r.id as refund, r.refunded_total_cents as total,
        sum(r.refunded_cents) over (partition by r.sale_id order by r.id) as running
      from refunds r where ${of("r")}
    ) where total <> running`,
  "canceled refunds that still count": (of) => `
    select r.id as refund, r.counted_cents as counted from refunds r
    where ${of("r")} and r.counted_cents > 0 and (r.sale_id, r.refund_id) in (
      select k.sale_id, k.refund_id from refunds k where k.asked = 'cancel')`,
  "refunds reported both by amount and by total, and charges with two totals": (of) => `
    select r.sale_id as sale, r.refund_id as refund from refunds r
    where ${of("r")} and r.refund_id is not null and r.asked <> 'cancel' group by r.sale_id, r.refund_id
    having count(distinct r.asked in ('total', 'cancel_total')) > 1 or count(distinct r.charge_total_cents is null) > 1
    union all
    select r.sale_id, null from refunds r where ${of("r")} group by r.sale_id
    having count(distinct r.charge_total_cents) > 1`,
  "refunds whose partner, currency or book differs from their sale's, or that precede it": (of) => `
    select r.id as refund, s.id as sale from refunds r left join sales s on s.id = r.sale_id
    where ${of("r")} and (s.id is null or r.partner_id is not s.partner_id or r.currency <> s.currency
      or r.program_id <> s.program_id or r.is_test <> s.is_test or r.occurred_at < s.occurred_at)`,
  "refunds with a wrong status": (of) => `
    select r.id as refund, r.status, c.status as commission_status
    from refunds r join sales s on s.id = r.sale_id join commissions c on c.sale_id = s.id
    where ${of("r")} and case
      when r.status = 'restored' then r.asked not in ('cancel', 'cancel_total')
      when r.status = 'skipped' then r.refunded_cents <> 0 or (r.commission_reversed_cents <> 0 and not ${hasCancel})
      when ${isMoved} or ${hasCancel} then 0
      else r.status <> case when c.status = 'void' then 'no_commission'
        when r.refunded_total_cents = s.amount_cents then 'reversed' else 'refunded' end
      end`,
  "refunds with a wrong remaining commission": (of) => `
    select refund, amount, remaining from (
      select r.id as refund, r.commission_amount_cents as amount, c.id as commission,
        c.initial_cents - sum(r.commission_reversed_cents) over (partition by r.sale_id order by r.id) as remaining
      from refunds r join commissions c on c.sale_id = r.sale_id
      where ${of("r")} and not ${isMoved} and not (${isOneTimeUsed})
    ) where amount <> remaining and not exists (
      select 1 from ledger_entries e where e.commission_id = commission and e.kind = 'rejected'
    )`,
};
