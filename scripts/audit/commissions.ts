import { attributionSources, isFinalAtOnce } from "#domain/attribution.ts";
import { dayMs } from "#domain/calendar.ts";
import { isKnown, toldFirstSales } from "./bindings.ts";
import { field, type Invariants } from "./invariant.ts";
import { isMoved, isOneTimeUsed } from "./refunds.ts";

export const isConfirmed = "(u.confirmed_at is not null or (u.source is not null and u.evidence is not 'browser'))";

/**
 * True for a customer attributed by an import, an assignment or a coupon. Such an attribution doesn't change earlier
 * sales.
 */
export const isDirectCustomer = "coalesce(u.source <> 'click', 0)";

const finalAtOnce = attributionSources.filter(isFinalAtOnce).map((source) => `'${source}'`);
export const isFinalAtOnceCustomer = `coalesce(u.source in (${finalAtOnce.join(", ")}), 0)`;

/** True if sale `s` was before the customer's attribution. */
export const isEarlier = "coalesce(s.occurred_at < u.since, 0)";

export const isMovingSale = `exists (select 1 from pending_moves m
  where m.customer_id = u.id and (s.occurred_at, s.id) > (m.after_occurred_at, m.after_sale_id))`;

/** True if a correction replaced sale `s`. The replaced sale keeps its former attribution. */
export const isReplaced = `exists (select 1 from sales n
  where n.corrected_sale_id = coalesce(s.corrected_sale_id, s.id) and n.correction > coalesce(s.correction, 0))`;

const explained = `json_extract(c.explanation, '$.sale.transactionId') is s.transaction_id
  and json_extract(c.explanation, '$.sale.amountCents') is s.amount_cents
  and json_extract(c.explanation, '$.sale.currency') is s.currency
  and json_extract(c.explanation, '$.partner.id') is c.partner_id
  and case c.status when 'void'
    then json_extract(c.explanation, '$.decision') is 'void' and json_extract(c.explanation, '$.reason') is c.reason
    else json_extract(c.explanation, '$.decision') is 'earned'
      and (json_extract(c.explanation, '$.amountCents') is c.initial_cents or (${isOneTimeUsed}))
      and json_extract(c.explanation, '$.policy.id') is c.policy_id
  end`;

const past = (name: string): string => field("c.explanation", `past.${name}`);

/**
 * Adds calendar months in UTC, limited to the end of the month. SQLite's own arithmetic would overflow into the next
 * month.
 */
const monthsAfter = (at: string, months: string): string => `min(
    unixepoch(${at} / 1000, 'unixepoch', '+' || ${months} || ' months') * 1000 + ${at} % 1000,
    unixepoch(${at} / 1000, 'unixepoch', 'start of month', '+' || (${months} + 1) || ' months', '-1 day') * 1000
      + ${at} % ${dayMs})`;

const entryOf = (which: "min" | "max", id: string): string => `(
  select ${which}(e.id) from ledger_entries e
  where e.commission_id = ${id} and e.partner_id = s.partner_id and e.kind in ('earned', 'moved'))`;

const decidedAt = (c: string): string => field(`${c}.explanation`, "decidedAt");

/**
 * The time at which commission `c` was earned. A click that is added to a coupon's commission only sets a later
 * `decidedAt`.
 */
const earnedAt = (c: string): string => `min(${decidedAt(c)}, coalesce((
  select e.created_at from ledger_entries e where e.id = ${entryOf("max", `${c}.id`)}), ${decidedAt(c)}))`;

/** True if the partner had commission `d` when commission `c` was decided. A void commission has no entry. */
const wasKnown = `case when ${entryOf("min", "d.id")} is null or ${entryOf("max", "c.id")} is null
  then b.id < s.id and ${decidedAt("d")} <= ${earnedAt("c")}
  else coalesce((
    select e.kind = 'earned' or e.amount_cents > 0 from ledger_entries e
    where e.commission_id = d.id and e.partner_id = s.partner_id and e.kind in ('earned', 'moved')
      and e.id < ${entryOf("max", "c.id")}
    order by e.id desc limit 1), 0) end`;

/** True if a correction had replaced sale `b` when commission `c` was decided. */
const wasReplaced = `exists (select 1 from sales n
  where n.corrected_sale_id = coalesce(b.corrected_sale_id, b.id) and n.correction > coalesce(b.correction, 0)
    and (n.id <= s.id or n.created_at <= ${earnedAt("c")}))`;

/**
 * True if the commission is for a rejected sale from before an import or assignment to its partner. If the customer had
 * another partner in between, the sale doesn't count as the first one with the partner.
 */
export const isFromEarlierTime = (sale: string, commission: string): string =>
  `(${isFinalAtOnceCustomer} and ${sale}.occurred_at < u.since and ${commission}.status = 'rejected')`;

/**
 * True if the decision on the commission knew a sale of the same customer and partner from which the policy's months
 * had passed. A sale that became attributed to the partner after the decision doesn't count.
 */
const isAfterKnown = `exists (
  select 1 from commissions c join sales s on s.id = c.sale_id
  join sales b on b.customer_id = s.customer_id and b.partner_id = s.partner_id
  join commissions d on d.sale_id = b.id join customers u on u.id = b.customer_id
  where c.id = commission and sold_at > ${monthsAfter("b.occurred_at", "months")} and ${wasKnown} and not ${wasReplaced}
    and not (${isFromEarlierTime("b", "d")} and u.first_attributed_sale_at > b.occurred_at))`;

/** The unit of the policy that decided the commission. Without a unit, the sale's currency. */
const currency = `coalesce((
  select ${field("p.unit", "code")} from commission_policies p where p.id = c.policy_id), s.currency)`;

export const commissionInvariants: Invariants = {
  "sales without exactly one commission": (of) => `
    select s.id as sale, count(c.id) as commissions from sales s left join commissions c on c.sale_id = s.id
    where ${of("s")} group by s.id having count(c.id) <> 1`,
  "commissions whose partner, currency or book differs from their sale's": (of) => `
    select c.id as commission, c.sale_id as sale from commissions c left join sales s on s.id = c.sale_id
    where ${of("c")} and (s.id is null or c.partner_id is not s.partner_id or c.currency is not ${currency}
      or c.program_id <> s.program_id or c.is_test <> s.is_test)`,
  "commissions whose sub-id is not their click's": (of) => `
    select c.id as commission, k.id as click from commissions c
    left join clicks k on k.click_id = ${field("c.explanation", "click.id")}
    where ${of("c")} and c.sub is not k.sub`,
  "commissions that are not the sum of their entries": (of) => `
    select c.id as commission, c.amount_cents as amount, coalesce(sum(e.amount_cents), 0) as entries
    from commissions c left join ledger_entries e on e.commission_id = c.id
    where ${of("c")} group by c.id having c.amount_cents <> coalesce(sum(e.amount_cents), 0)`,
  "void commissions with an amount or entries": (of) => `
    select c.id as commission from commissions c
    where ${of("c")} and c.status = 'void' and (c.initial_cents <> 0 or c.amount_cents <> 0
      or (not ${isMoved} and exists (select 1 from ledger_entries e where e.commission_id = c.id)))`,
  "commissions without exactly one entry for their initial amount": (of) => `
    select c.id as commission, c.initial_cents as initial, count(e.id) as times, sum(e.amount_cents) as earned,
      max(e.id) as entry
    from commissions c left join ledger_entries e on e.commission_id = c.id and e.kind = 'earned'
    where ${of("c")} and c.status <> 'void'
    group by c.id having count(e.id) <> 1
      or (sum(e.amount_cents) <> c.initial_cents and not ${isMoved} and not (${isOneTimeUsed}))`,
  "reversed commissions of sales that aren't fully refunded, and open commissions of sales that are": (of) => `
    select c.id as commission, c.status, s.refunded_cents as refunded from commissions c join sales s on s.id = c.sale_id
    where ${of("c")} and case c.status when 'reversed' then s.refunded_cents <> s.amount_cents and not (${isOneTimeUsed})
      else c.status in ('pending', 'approved') and s.refunded_cents = s.amount_cents end`,
  "rejected commissions with an amount, and rejections of commissions that aren't rejected": (of) => `
    select c.id as commission, c.status, c.amount_cents as amount from commissions c
    where ${of("c")} and c.status = 'rejected' and c.amount_cents <> 0
    union all
    select c.id, c.status, e.amount_cents from ledger_entries e join commissions c on c.id = e.commission_id
    where ${of("c")} and e.kind = 'rejected' and c.status <> 'rejected'`,
  "commissions whose unconfirmed state doesn't match their approval or customer": (of) => `
    select c.id as commission, c.status, u.id as customer from commissions c
    join sales s on s.id = c.sale_id left join customers u on u.id = s.customer_id
    where ${of("c")} and c.partner_id is not null and not ${isReplaced} and case c.is_unconfirmed
      when 1 then c.status = 'approved'
        or (c.status <> 'rejected' and (u.id is null or (${isConfirmed} and not ${isEarlier})) and not ${isMovingSale})
      else u.id is null or not (${isConfirmed} or (c.source = 'coupon' and (c.status = 'rejected' or ${isMovingSale}))) end`,
  "approvals without a time, or before the end of the hold": (of) => `
    select c.id as commission, c.status, c.approved_at, c.approved_by from commissions c
    where ${of("c")} and ((c.status = 'approved' and c.approved_at is null)
      or (c.approved_by is 'hold' and c.status <> 'reversed' and c.approved_at < c.hold_until))`,
  "customers for whom a one-time policy pays more than once": (of) => `
    select u.id as customer, c.partner_id as partner, count(*) as commissions from customers u
    join sales s on s.customer_id = u.id join commissions c on c.sale_id = s.id
    join commission_policies p on p.id = c.policy_id
    where ${of("u")} and p.scope = 'one_time' and c.status in ('pending', 'approved') and not ${isReplaced}
      and not (${isEarlier} and ${isMovingSale})
    group by u.id, c.partner_id having count(*) > 1`,
  "commissions of sales after the months that a recurring policy covers": (of) => `
    select commission, sold_at, first_sold_at, elsewhere as first_sold_elsewhere_at from (
      select c.id as commission, c.status, ${isReplaced} as is_replaced, s.occurred_at as sold_at, p.duration_months as months, (
          select a.first_sale_at from ${toldFirstSales} a
          where a.program_id = c.program_id and a.subject = 'customer ' || s.customer_id
            and ${isKnown("c.explanation")}
        ) as elsewhere,
        min(s.occurred_at) over (partition by s.customer_id, c.partner_id) as first_sold_at
      from commission_policies p join commissions c on c.policy_id = p.id join sales s on s.id = c.sale_id
      where ${of("c")} and p.scope = 'recurring'
    ) where status <> 'void' and not is_replaced and (coalesce(sold_at > ${monthsAfter("elsewhere", "months")}, 0)
      or (sold_at > ${monthsAfter("first_sold_at", "months")} and ${isAfterKnown}))`,
  "customers whose one-time commission is another customer's, or was reversed while pending": (of) => `
    select u.id as customer, c.id as commission, c.status from customers u
    left join commissions c on c.id = u.one_time_commission_id left join sales s on s.id = c.sale_id
    where ${of("u")} and u.one_time_commission_id is not null
      and (s.customer_id is not u.id or c.partner_id is not u.partner_id or c.status = 'void')`,
  "customers who could earn a second one-time commission": (of) => `
    select u.id as customer, c.id as commission, c.status from customers u join sales s on s.customer_id = u.id
    join commissions c on c.sale_id = s.id join commission_policies p on p.id = c.policy_id
    where ${of("u")} and u.one_time_commission_id is null and c.partner_id = u.partner_id and not s.is_recurring
      and p.scope = 'one_time'
      and c.status in ('pending', 'approved') and not ${isReplaced}
      and not exists (select 1 from pending_moves m where m.customer_id = u.id)`,
  "commissions decided by earlier sales that their customer doesn't have": (of) => `
    select c.id as commission, s.customer_id as customer from commissions c join sales s on s.id = c.sale_id
    left join customers u on u.id = s.customer_id
    where ${of("c")} and ${field("c.explanation", "past")} is not null and (
      (${past("firstAttributedSaleAt")} is not null and ${past("firstAttributedSaleAt")} is not u.imported_first_sale_at
        and not exists (select 1 from sales o
          where o.customer_id = s.customer_id and o.occurred_at = ${past("firstAttributedSaleAt")}))
      or (${past("oneTimeCommissionId")} is not null and (not ${past("isOneTimeTaken")} or not exists (
        select 1 from commissions k join sales o on o.id = k.sale_id
        where k.id = ${past("oneTimeCommissionId")} and o.customer_id = s.customer_id))))`,
  "commissions whose explanation has another sale, partner, amount or reason": (of) => `
    select c.id as commission, s.id as sale from commissions c join sales s on s.id = c.sale_id
    where ${of("c")} and not case when json_valid(c.explanation) then ${explained} else 0 end`,
};
