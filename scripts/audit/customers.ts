import { isMoving } from "./commissions.ts";
import type { Invariants } from "./invariant.ts";

export const customerInvariants: Invariants = {
  "customers with more than one lead": (of) => `
    select l.customer_id as customer, count(*) as leads from leads l
    where ${of("l")} and l.customer_id is not null group by l.customer_id having count(*) > 1`,
  "leads of another partner, click or book than their customer": (of) => `
    select l.id as lead, u.id as customer from leads l left join customers u on u.id = l.customer_id
    where ${of("l")} and l.customer_id is not null and (u.id is null or l.partner_id is not u.partner_id
      or (u.partner_id is not null and l.click_id is not u.click_id)
      or l.program_id <> u.program_id or l.is_test <> u.is_test)`,
  "leads that settled nobody and are somebody's": (of) => `
    select l.id as lead from leads l where ${of("l")} and l.customer_id is null and l.partner_id is not null`,
  "customers owed to another partner than their link's": (of) => `
    select u.id as customer, u.link_id as link from customers u left join referral_links k on k.id = u.link_id
    where ${of("u")} and u.partner_id is not null
      and (k.partner_id is not u.partner_id or k.program_id <> u.program_id)`,
  "customers owed to a click that they did not show": (of) => `
    select u.id as customer, u.click_id as click from customers u
    left join customer_clicks k on k.customer_id = u.id and k.click_id = u.click_id
    where ${of("u")} and u.partner_id is not null and (k.link_id is not u.link_id or k.click_at is not u.click_at)`,
  "clicks shown by a customer with a key as one without, or the other way round": (of) => `
    select u.id as customer, k.click_id as click from customers u join customer_clicks k on k.customer_id = u.id
    where ${of("u")} and k.is_nameless <> (u.customer_key is null)`,
  "sales of another book than their customer, or owed to another partner": (of) => `
    select s.id as sale, u.id as customer from sales s left join customers u on u.id = s.customer_id
    where ${of("s")} and (
      (s.customer_id is not null and (u.id is null or s.program_id <> u.program_id or s.is_test <> u.is_test))
      or (s.partner_id is not null and s.partner_id is not u.partner_id
        and not exists (select 1 from commissions c where c.sale_id = s.id and c.status in ('approved', 'rejected', 'paid'))
        and not ${isMoving}))`,
  "customers whose first sale, or first attributed sale, is not their earliest": (of) => `
    select u.id as customer, u.first_sale_at, min(s.occurred_at) as earliest, u.first_attributed_sale_at,
      min(iif(s.partner_id = u.partner_id, s.occurred_at, null)) as earliest_attributed
    from customers u left join sales s on s.customer_id = u.id
    where ${of("u")} group by u.id
    having u.first_sale_at is not min(s.occurred_at)
      or u.first_attributed_sale_at is not min(iif(s.partner_id = u.partner_id, s.occurred_at, null))`,
};

const dayMs = 86_400_000;

export const clickInvariants: Invariants = {
  "events that stand for no click, or for that of another book or link": (of) => `
    select e.event_id as event, e.click_id as click from click_event_ids e left join clicks c on c.click_id = e.click_id
    where ${of("e")} and (c.id is null or c.program_id <> e.program_id or c.is_test <> e.is_test
      or c.event_id is not e.event_id or e.link_id <> coalesce(c.link_id, 0))`,
  "clicks of one event on one link within 24 hours of each other": (of) => `
    select click, event, after_ms from (
      select c.id as click, c.event_id as event,
        c.created_at - lag(c.created_at)
          over (partition by c.program_id, c.is_test, c.link_id, c.event_id order by c.created_at) as after_ms
      from clicks c where ${of("c")} and c.event_id is not null
    ) where after_ms < ${dayMs}`,
};
