import { clockToleranceMs } from "#domain/calendar.ts";
import type { Invariants } from "./invariant.ts";
import { isMoved, movedFrom } from "./refunds.ts";

/**
 * True if a sale of the customer had a coupon. Such a customer may have changed partners more than once, but the
 * explanation contains only the last change.
 */
const hadCoupon = `exists (select 1 from sales s join sales o on o.customer_id = s.customer_id
  where s.id = c.sale_id and o.coupons is not null)`;

export const entryInvariants: Invariants = {
  "entries whose currency or book differs from their commission's": (of) => `
    select e.id as entry, c.id as commission from ledger_entries e left join commissions c on c.id = e.commission_id
    where ${of("e")} and e.commission_id is not null and (c.id is null
      or e.program_id <> c.program_id or e.is_test <> c.is_test)
    union all
    -- A commission that moved to another currency also has entries in the former currency. They must add up to 0.
    select max(e.id), c.id from ledger_entries e join commissions c on c.id = e.commission_id
    where ${of("e")} and e.currency <> c.currency group by c.id, e.partner_id, e.currency having sum(e.amount_cents) <> 0`,
  "entries that leave a former partner part of a commission": (of) => `
    select c.id as commission, e.partner_id as partner, sum(e.amount_cents) as kept, max(e.id) as entry
    from ledger_entries e join commissions c on c.id = e.commission_id
    where ${of("e")} and e.partner_id is not c.partner_id group by c.id, e.partner_id, e.currency
    having sum(e.amount_cents) <> 0 or (${movedFrom} is not e.partner_id and not (${isMoved} and ${hadCoupon}))`,
  "entries posted before an entry with a smaller id": (of) => `
    select entry, posted, before from (
      select e.id as entry, e.program_id, e.created_at as posted, lag(e.created_at) over (partition by e.program_id order by e.id) as before
      from ledger_entries e where ${of("e")}
    ) where posted < before`,
  "entries posted before the event that caused them": (of) => `
    select entry, kind, posted, cause from (
      select e.id as entry, e.kind, e.created_at as posted, case
          when e.refund_id is not null then r.created_at
          when e.kind = 'adjusted' then j.created_at
          when e.kind = 'paid' then iif(p.settled_by = 'api', l.settled_at, p.confirmed_at)
          when e.kind = 'returned' then l.failed_at
          when e.kind = 'rejected' then e.occurred_at
          else c.created_at end as cause
      from ledger_entries e left join refunds r on r.id = e.refund_id left join commissions c on c.id = e.commission_id
      left join adjustments j on j.id = e.adjustment_id left join payout_lines l on l.id = e.payout_line_id
      left join payouts p on p.id = l.payout_id
      where ${of("e")}
    ) where posted < cause - ${clockToleranceMs}`,
  "entries that make a commission negative": (of) => `
    select entry, commission, amount from (
      select e.id as entry, e.commission_id as commission,
        sum(e.amount_cents) over (partition by e.commission_id order by e.kind <> 'earned', e.id)
          as amount
      from ledger_entries e where ${of("e")} and e.commission_id is not null
    ) where amount < 0`,
  "reversals and restorations that don't match their refund": (of) => `
    select e.id as entry, r.id as refund from ledger_entries e left join refunds r on r.id = e.refund_id
    left join commissions c on c.id = e.commission_id
    where ${of("e")} and e.kind in ('reversed', 'restored')
      and (r.id is null or r.sale_id is not c.sale_id or r.commission_reversed_cents <> -e.amount_cents
        or (e.kind = 'reversed') <> (e.amount_cents < 0))`,
  "refunds that reverse something without exactly one entry": (of) => `
    select r.id as refund, count(e.id) as entries from refunds r left join ledger_entries e on e.refund_id = r.id
    where ${of("r")} group by r.id having count(e.id) <> (r.commission_reversed_cents <> 0)`,
};
