import { field, type Invariants } from "./invariant.ts";

const known = "json_each(iif(json_valid(s.coupons), s.coupons, '[]')) j";
const told = (name: string): string => `j.value ->> '$.${name}'`;

// Independent of src/domain/coupons.ts, which is under audit.
const ofFirstValid = (sale: string, name: string): string => `(
  select i.value ->> '$.${name}' from json_each(iif(json_valid(${sale}.coupons), ${sale}.coupons, '[]')) i where i.value ->> '$.state' = 'valid' order by i.key limit 1)`;

/** A sale of the customer at that instant had a coupon of the partner. */
const cameWith = (customer: string, since: string, partner: string): string => `exists (
  select 1 from sales o where o.customer_id = ${customer} and o.occurred_at = ${since} and o.coupons is not null
    and ${ofFirstValid("o", "partnerId")} is ${partner})`;

const outcome = `case
  when ${told("state")} <> 'valid' then ${told("state")}
  when ${told("couponId")} <> ${ofFirstValid("s", "couponId")} then 'other_coupon'
  when ${told("partnerId")} is c.partner_id then 'chosen'
  when c.partner_id is null and c.reason = 'existing_customer' and ${field("c.explanation", "considered")} is null then 'existing_customer'
  else 'outranked' end`;

export const couponInvariants: Invariants = {
  "coupons that another program has, or without a code": (of) => `
    select c.id as coupon, p.id as partner from coupons c left join partners p on p.id = c.partner_id
    where ${of("c")} and (p.program_id is not c.program_id
      or not exists (select 1 from coupon_codes k where k.coupon_id = c.id and k.program_id = c.program_id))
    union all
    select k.coupon_id, null from coupon_codes k left join coupons c on c.id = k.coupon_id
    where ${of("k")} and c.program_id is not k.program_id`,
  "coupons that were created otherwise than the audit trail says": (of) => `
    select c.id as coupon, a.id as audit_entry from coupons c
    left join audit_entries a on a.action = 'coupon.created' and a.program_id = c.program_id and a.subject = 'coupon ' || c.id
    where ${of("c")} and (a.created_at is not c.created_at or ${field("a.after", "partnerId")} is not c.partner_id
      or ${field("a.after", "codes")} is not (
        select json_group_array(o.code) from (select k.code from coupon_codes k where k.coupon_id = c.id order by k.position) o)
      or (select 2 * sum(k.position) - count(*) * (count(*) - 1) from coupon_codes k where k.coupon_id = c.id) <> 0
      or exists (select 1 from coupon_codes k
        where k.coupon_id = c.id and k.code not glob '*[^ -~]*' and k.code_key <> upper(k.code)))`,
  "sales with a coupon that was somebody else's": (of) => `
    select s.id as sale, ${told("code")} as code from sales s join ${known} left join coupons c on c.id = ${told("couponId")}
    where ${of("s")} and s.coupons is not null and ${told("state")} <> 'unknown'
      and (c.program_id is not s.program_id or c.partner_id is not ${told("partnerId")} or (
        ${told("code")} not glob '*[^ -~]*' and not exists (select 1 from coupon_codes k
          where k.coupon_id = c.id and k.code_key = upper(${told("code")}))))`,
  "commissions whose explanation tells something else of their sale's coupons": (of) => `
    select c.id as commission, s.id as sale from commissions c join sales s on s.id = c.sale_id
    where ${of("c")} and ${field("c.explanation", "coupons")} is not iif(s.coupons is null, null, (
      select json_group_array(json(of_one)) from (
        select json_object('code', ${told("code")}, 'partnerCode', ${told("partnerCode")}, 'outcome', ${outcome}) as of_one
        from ${known} order by j.key)))`,
  "customers and commissions of a coupon that came with none of the customer's sales": (of) => `
    select u.id as customer, null as commission from customers u
    where ${of("u")} and u.source = 'coupon' and not ${cameWith("u.id", "u.since", "u.partner_id")}
    union all
    select s.customer_id, c.id from commissions c join sales s on s.id = c.sale_id
    where ${of("c")} and c.source = 'coupon'
      and not ${cameWith("s.customer_id", field("c.explanation", "direct.since"), "c.partner_id")}`,
  "customers of a coupon who are not final, though one of its commissions was approved": (of) => `
    select u.id as customer, c.id as commission from commissions c join sales s on s.id = c.sale_id
    join customers u on u.id = s.customer_id
    where ${of("c")} and c.source = 'coupon' and c.approved_at is not null and u.source = 'coupon'
      and u.partner_id = c.partner_id and u.confirmed_at is null`,
};
