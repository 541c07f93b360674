import { dayMs, hourMs } from "#domain/calendar.ts";
import {
  isConfirmed,
  isDirectCustomer,
  isEarlier,
  isFinalAtOnceCustomer,
  isFromEarlierTime,
  isMovingSale,
  isReplaced,
} from "./commissions.ts";
import { field, type Invariants, isLinkOf } from "./invariant.ts";
import { movedFrom } from "./refunds.ts";

/** True if sale `s` is attributed to its customer's current partner. */
const isOwn = "s.partner_id = u.partner_id";

export const customerInvariants: Invariants = {
  "customers with more than one lead": (of) => `
    select l.customer_id as customer, count(*) as leads from leads l
    where ${of("l")} and l.customer_id is not null group by l.customer_id having count(*) > 1`,
  "leads whose partner, click or book differs from their customer's": (of) => `
    select l.id as lead, u.id as customer from leads l left join customers u on u.id = l.customer_id
    where ${of("l")} and l.customer_id is not null and (u.id is null
      or case when ${isDirectCustomer} then l.click_id is null and l.partner_id is not null and l.partner_id <> u.partner_id
        else l.partner_id is not u.partner_id or (u.partner_id is not null and l.click_id is not u.click_id) end
      or l.program_id <> u.program_id or l.is_test <> u.is_test)`,
  "leads without a customer that have a partner": (of) => `
    select l.id as lead from leads l where ${of("l")} and l.customer_id is null and l.partner_id is not null`,
  "customers attributed to another partner than their link's": (of) => `
    select u.id as customer, u.link_id as link from customers u left join referral_links k on k.id = u.link_id
    where ${of("u")} and u.partner_id is not null
      and (k.partner_id is not u.partner_id or k.program_id <> u.program_id)`,
  "customers attributed to a click that none of their calls sent": (of) => `
    select u.id as customer, u.click_id as click from customers u
    left join customer_clicks k on k.customer_id = u.id and k.click_id = u.click_id
    where ${of("u")} and u.source = 'click'
      and (k.link_id is not u.link_id or k.click_at is not u.click_at or k.evidence = 'moved')`,
  "customers' clicks whose mark for a customer key is wrong": (of) => `
    select u.id as customer, k.click_id as click from customers u join customer_clicks k on k.customer_id = u.id
    where ${of("u")} and k.is_nameless <> (u.customer_key is null)`,
  "sales whose book or partner differs from their customer's": (of) => `
    select s.id as sale, u.id as customer from sales s left join customers u on u.id = s.customer_id
    where ${of("s")} and (
      (s.customer_id is not null and (u.id is null or s.program_id <> u.program_id or s.is_test <> u.is_test))
      or (s.partner_id is not null and s.partner_id is not u.partner_id
        and not exists (select 1 from commissions c where c.sale_id = s.id
          and (c.status in ('approved', 'rejected') or c.approved_at is not null or exists (
            select 1 from ledger_entries e where e.commission_id = c.id and e.kind = 'moved'
              and e.partner_id = u.partner_id and e.amount_cents > 0)))
        and not ${isEarlier} and not ${isMovingSale} and not ${isReplaced}))`,
  "customers whose first sale, or first attributed sale, is not their earliest": (of) => `
    select u.id as customer, u.first_sale_at, min(s.occurred_at) as earliest, u.first_attributed_sale_at,
      min(iif(${isOwn}, s.occurred_at, null)) as earliest_attributed
    from customers u left join sales s on s.customer_id = u.id and not ${isReplaced}
      left join commissions c on c.sale_id = s.id
    where ${of("u")} group by u.id
    having u.first_sale_at is not min(s.occurred_at)
      or (u.first_attributed_sale_at is not min(iif(${isOwn}, s.occurred_at, null))
        and u.first_attributed_sale_at is not min(iif(${isOwn} and not ${isFromEarlierTime("s", "c")}, s.occurred_at, null))
        and not exists (select 1 from pending_moves m where m.customer_id = u.id))`,
  // A sale that has left the partner doesn't return to it. If the sale was fully refunded when it left, no ledger entry
  // shows this.
  "unattributed sales of a customer who was locked by an earlier click": (of) => `
    select s.id as sale, u.id as customer, u.partner_id as partner from sales s join customers u on u.id = s.customer_id
    where ${of("s")} and s.partner_id is null and u.partner_id is not null and u.first_attributed_sale_at is not null
      and ${isConfirmed} and s.occurred_at >= coalesce(u.click_at, u.since) and not ${isMovingSale} and not ${isReplaced}
      and not exists (select 1 from commissions c join ledger_entries e on e.commission_id = c.id
        where c.sale_id = s.id and e.kind = 'moved' and e.partner_id = u.partner_id
          and (e.amount_cents < 0 or ${movedFrom} is not null))`,
  "sales attributed to a partner before the start of the customer's attribution": (of) => `
    select s.id as sale, u.id as customer, u.since from sales s join customers u on u.id = s.customer_id
    join commissions c on c.sale_id = s.id
    where ${of("s")} and s.partner_id = u.partner_id and s.occurred_at < u.since and (c.source = u.source
      or (s.created_at > u.bound_at and s.corrected_sale_id is null))
      and not (${isReplaced} or ${isMovingSale} or (c.source = 'coupon' and c.status in ('approved', 'rejected')))`,
  "sales after an import or assignment that are attributed by other evidence": (of) => `
    select s.id as sale, u.id as customer, c.source from sales s join customers u on u.id = s.customer_id
    join commissions c on c.sale_id = s.id
    where ${of("s")} and ${isFinalAtOnceCustomer} and s.partner_id = u.partner_id and c.source <> u.source
      and s.created_at > u.bound_at and s.corrected_sale_id is null`,
  "sales with another customer's key, or a code of another partner": (of) => `
    select s.id as sale, u.id as customer from sales s left join customers u on u.id = s.customer_id
    left join referral_links k on k.partner_id = s.partner_id and ${isLinkOf("k", "s.partner_code")}
    where ${of("s")} and ((s.sent_customer_key is not null and s.subscription_id is null and u.customer_key is not s.sent_customer_key)
      or (not s.is_erased and not u.is_erased
        and s.is_other_key <> (s.sent_customer_key is not null and u.customer_key is not s.sent_customer_key))
      or (s.partner_id is not null and (k.id is null or u.id is null))
      or (s.partner_id is null and s.partner_code is not null))`,
  "leads whose key, evidence, click or code differs from their customer's": (of) => `
    select l.id as lead, u.id as customer from leads l join customers u on u.id = l.customer_id
    left join referral_links k on k.id = u.link_id
    where ${of("l")} and (l.customer_key is not u.customer_key
      or (not ${isDirectCustomer} and (l.evidence is not coalesce(u.evidence, 'key')
        or l.click_id is not u.click_id or l.partner_code is not k.code))
      or l.is_provisional
      or l.unsettled_key is not null or (l.reason is null) <> (l.partner_id is not null))`,
  "leads without a customer whose deduplication key or reason is wrong": (of) => `
    select l.id as lead, l.unsettled_key from leads l
    where ${of("l")} and l.customer_id is null and (l.partner_code is not null or l.is_provisional <> (l.reason is null)
      or l.unsettled_key is not coalesce('customer ' || l.customer_key, 'click ' || l.click_id, 'call ' || l.operation_id))`,
  "customers whose attribution is incomplete, or lacks the evidence sent with their click": (of) => `
    select u.id as customer, u.click_id as click, u.evidence from customers u
    left join customer_clicks k on k.customer_id = u.id and k.click_id = u.click_id
    where ${of("u")} and case when u.partner_id is null
      then coalesce(u.source, u.link_id, u.since, u.click_id, u.click_at, u.evidence, u.model, u.window_until, u.bound_at,
        u.bound_by, u.confirmed_at, u.first_attributed_sale_at, u.one_time_commission_id) is not null
        or (u.window_days is not null) <> (u.reason is 'attribution_window_expired')
      when ${isDirectCustomer}
      then u.link_id is null or u.since is null or u.bound_at is null
        or coalesce(u.click_id, u.click_at, u.evidence, u.model, u.window_days, u.window_until, u.click_age_days,
          u.bound_by) is not null
        or (${isFinalAtOnceCustomer} and u.confirmed_at is not u.bound_at)
      else u.source is not 'click' or u.since is not null or u.link_id is null or u.click_at is null
        or u.model is null or u.window_days is null or u.window_until is null or u.bound_by is null or u.bound_at is null
        or case u.evidence when 'key' then u.confirmed_at is null or k.evidence is not 'key'
          when 'browser' then k.has_settled_in_browser is not 1 else 1 end end`,
  "customers confirmed by a person without an approval": (of) => `
    select u.id as customer, u.confirmed_at from customers u
    where ${of("u")} and u.evidence = 'browser' and u.confirmed_at is not null and not exists (
      select 1 from sales s join commissions c on c.sale_id = s.id
      join audit_entries a on a.program_id = c.program_id and a.subject = 'commission ' || c.id
      where s.customer_id = u.id and c.approved_by = 'person' and a.action = 'commission.approved'
        and a.created_at = u.confirmed_at)`,
  "customers' clicks reported only by a browser that attributed no customer": (of) => `
    select u.id as customer, k.click_id as click from customers u join customer_clicks k on k.customer_id = u.id
    where ${of("u")} and k.evidence = 'browser' and not k.has_settled_in_browser`,
  "commissions explained by a browser's report of a click that no browser reported": (of) => `
    select c.id as commission, s.customer_id as customer from commissions c join sales s on s.id = c.sale_id
    where ${of("c")} and c.source = 'click' and ${field("c.explanation", "evidence")} is 'browser'
      and s.corrected_sale_id is null and not s.is_erased and not exists (
        select 1 from customer_clicks k where k.customer_id = s.customer_id and k.has_settled_in_browser
          and k.click_id = ${field("c.explanation", "click.id")})`,
  "clicks that moved to another customer without a correction of their sale": (of) => `
    select u.id as customer, k.click_id as click from customers u join customer_clicks k on k.customer_id = u.id
    where ${of("u")} and k.evidence = 'moved' and not exists (
      select 1 from sales s join sales n on n.corrected_sale_id = coalesce(s.corrected_sale_id, s.id)
        and n.correction = coalesce(s.correction, 0) + 1
      where s.customer_id = u.id and s.sent_click_id = k.click_id and n.customer_id <> u.id)`,
  "reattributions of customers that are finished, or whose next sale doesn't exist": (of) => `
    select m.customer_id as customer, m.after_sale_id as after_sale
    from pending_moves m left join customers u on u.id = m.customer_id
    left join sales l on l.id = m.after_sale_id and l.customer_id = m.customer_id and l.occurred_at = m.after_occurred_at
    where (u.id is null or ${of("u")}) and (l.id is null and (m.after_occurred_at, m.after_sale_id) <> (0, 0) or not exists (
      select 1 from sales s where s.customer_id = m.customer_id
        and (s.occurred_at, s.id) > (m.after_occurred_at, m.after_sale_id)))`,
};

export const clickInvariants: Invariants = {
  "event ids without a click, or with a click of another book, link or time": (of) => `
    select e.event_id as event, e.click_id as click from click_event_ids e left join clicks c on c.click_id = e.click_id
    where ${of("e")} and (c.id is null or c.program_id <> e.program_id or c.is_test <> e.is_test
      or c.event_id is not e.event_id or e.link_id <> coalesce(c.link_id, 0) or e.recorded_at <> c.created_at)`,
  // The service deletes an event id after 24 hours.
  "recent clicks whose event id belongs to another click, or to none": (of) => `
    select c.id as click, c.event_id as event from clicks c
    left join click_event_ids e on e.program_id = c.program_id and e.is_test = c.is_test
      and e.link_id = coalesce(c.link_id, 0) and e.event_id = c.event_id
    where ${of("c")} and c.event_id is not null and c.created_at > unixepoch() * 1000 - ${23 * hourMs}
      and e.click_id is not c.click_id`,
  "clicks that differ from the click id that a customer's call sent": (of) => `
    select c.id as click, k.customer_id as customer from customer_clicks k join clicks c on c.click_id = k.click_id
    where ${of("c")} and (c.occurred_at <> k.click_at or c.link_id is not k.link_id)`,
  "clicks with the same event id and link within 24 hours": (of) => `
    select click, event, after_ms from (
      select c.id as click, c.event_id as event,
        c.created_at - lag(c.created_at)
          over (partition by c.program_id, c.is_test, c.link_id, c.event_id order by c.created_at) as after_ms
      from clicks c where ${of("c")} and c.event_id is not null
    ) where after_ms < ${dayMs}`,
};
