import { clockToleranceMs } from "#domain/calendar.ts";
import type { Invariants } from "./invariant.ts";
import { isMoved } from "./refunds.ts";

/**
 * True for a restored commission. It has a new number, and the instant of its approval may be from another clock than
 * the instants of postings.
 */
const isNumberedAnew = `exists (select 1 from refunds r
  where r.sale_id = c.sale_id and (r.status = 'restored' or r.asked in ('cancel', 'cancel_total')))`;

export const numberInvariants: Invariants = {
  "commissions whose numbers don't match their state": (of) => `
    select c.id as commission, c.status, c.payable_number, c.reversed_number from commissions c
    where ${of("c")} and ((c.payable_number is null) <> (c.approved_at is null)
      or (c.status = 'approved' and c.payable_number is null) or (c.status in ('pending', 'void') and c.payable_number is not null)
      or (c.status = 'reversed') <> (c.reversed_number is not null)
      or ((c.payable_number is not null or not ${isMoved}) and c.reversed_number < (
        select max(e.id) from ledger_entries e where e.commission_id = c.id)))`,
  "approvals whose time doesn't fit the order of their numbers": (of) => `
    select commission, number, at, before from (
      select commission, number, at, is_anew,
        max(at) over (partition by program_id order by number rows between unbounded preceding and 1 preceding) as before,
        min(iif(is_anew, null, at)) over (partition by program_id order by number desc rows between unbounded preceding and 1 preceding) as later
      from (
        select e.program_id, null as commission, e.id as number, e.created_at as at, 0 as is_anew from ledger_entries e where ${of("e")}
        union all
        select c.program_id, c.id, c.payable_number, c.approved_at, ${isNumberedAnew} from commissions c
        where ${of("c")} and c.payable_number is not null
      )
    ) where commission is not null and ((at < before - ${clockToleranceMs} and not is_anew) or at > later + ${clockToleranceMs})`,
  "payouts whose numbers are out of order, or whose cutoff isn't the last number of their time": (of) => `
    select p.id as payout, p.cut, p.finalized_number as number from payouts p
    where ${of("p")} and (p.cut < 0 or p.finalized_number <= p.cut
      or p.canceled_number <= max(p.cut, coalesce(p.finalized_number, 0))
      or (p.finalized_number is null) <> (p.finalized_at is null)
      or (p.canceled_number is null) <> (p.canceled_at is null))
    union all
    select payout, number, null from (
      select payout, number, until, created_at,
        max(at) over (partition by program_id order by number, is_cut rows between unbounded preceding and 1 preceding) as before,
        min(at) over (partition by program_id order by number desc, is_cut desc
          rows between unbounded preceding and 1 preceding) as later
      from (
        select e.program_id, e.id as number, 0 as is_cut, e.created_at as at, null as payout, null as until, null as created_at
        from ledger_entries e where ${of("e")}
        union all
        select p.program_id, p.cut, 1, null, p.id, p.until, p.created_at from payouts p where ${of("p")}
      )
    ) where payout is not null
      and (before > until + ${clockToleranceMs} or (later <= until and later < created_at - ${clockToleranceMs}))`,
  "numbers used by two operations": (of) => `
    select number, min(entry) as entry, min(commission) as commission, min(payout) as payout from (
      select e.id as number, e.id as entry, null as commission, null as payout from ledger_entries e where ${of("e")}
      union all
      select c.payable_number, null, min(c.id), null from commissions c
      where ${of("c")} and c.payable_number is not null
      group by c.payable_number, c.approved_at, iif(c.approved_by = 'hold', 0, c.id)
      union all
      select c.reversed_number, null, c.id, null from commissions c where ${of("c")} and c.reversed_number is not null
      union all
      select p.finalized_number, null, null, p.id from payouts p where ${of("p")} and p.finalized_number is not null
      union all
      select p.canceled_number, null, null, p.id from payouts p where ${of("p")} and p.canceled_number is not null
      union all
      select l.given_back_number, null, null, min(l.payout_id) from payout_lines l
      where ${of("l")} and l.given_back_number is not null
      group by l.given_back_number, l.payout_id, l.failed_at, l.failed_by
      union all
      select d.id, null, null, null from payment_details d where ${of("d")}
      union all
      select t.number, null, null, null from tier_steps t where ${of("t")} group by t.number
    ) group by number having count(*) > 1`,
  "numbers above the last one that the Ledger assigned": (of) => `
    select w.name as writer, w.number, newest.number as given from ledger_writers w cross join (
      select max(number) as number from (
        select max(e.id) as number from ledger_entries e where ${of("e")}
        union all
        select max(max(coalesce(c.payable_number, 0), coalesce(c.reversed_number, 0))) from commissions c where ${of("c")}
        union all
        select max(d.id) from payment_details d where ${of("d")}
        union all
        select max(t.number) from tier_steps t where ${of("t")}
        union all
        select max(max(p.cut, coalesce(p.finalized_number, 0), coalesce(p.canceled_number, 0))) from payouts p where ${of("p")}
        union all
        select max(l.given_back_number) from payout_lines l where ${of("l")}
      )
    ) newest where w.number < newest.number`,
};
