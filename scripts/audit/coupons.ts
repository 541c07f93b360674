import { clockToleranceMs } from "#domain/calendar.ts";
import { waitMs } from "./bindings.ts";
import { isReplaced } from "./commissions.ts";
import { field, type Invariants, type Scope } from "./invariant.ts";

const known = "json_each(iif(json_valid(s.coupons), s.coupons, '[]')) j";
const told = (name: string): string => `j.value ->> '$.${name}'`;

// Doesn't use src/domain/coupons.ts, because the audit checks it.
const ofFirstValid = (sale: string, name: string): string => `(
  select i.value ->> '$.${name}' from json_each(iif(json_valid(${sale}.coupons), ${sale}.coupons, '[]')) i where i.value ->> '$.state' = 'valid' order by i.key limit 1)`;

/** True if a sale of the customer at this instant had a coupon of the partner. */
const cameWith = (customer: string, since: string, partner: string): string => `exists (
  select 1 from sales o where o.customer_id = ${customer} and o.occurred_at = ${since} and o.coupons is not null
    and ${ofFirstValid("o", "partnerId")} is ${partner})`;

const outcome = `case
  when ${told("state")} <> 'valid' then ${told("state")}
  when ${told("couponId")} <> ${ofFirstValid("s", "couponId")} then 'other_coupon'
  when ${told("partnerId")} is c.partner_id then 'chosen'
  when c.partner_id is null and c.reason = 'existing_customer' and ${field("c.explanation", "considered")} is null then 'existing_customer'
  else 'outranked' end`;

/**
 * True if the coupon codes of sale `s` were erased. A correction copies the coupons of an erased customer in their
 * erased form.
 */
const isWithoutCodes = `(s.is_erased or (${told("code")} = 'erased' and exists (
  select 1 from sales o where o.is_erased and (o.id = s.corrected_sale_id or o.corrected_sale_id = s.corrected_sale_id))))`;

/**
 * The settings that decide whether a sale's coupon counts, by the table that contains them. Maps each name in audit
 * entries to its column.
 */
const settings = {
  coupon: { status: "status", validFrom: "valid_from", validUntil: "valid_until" },
  partner: { status: "status" },
} as const;
type Owner = keyof typeof settings;
const owners = Object.keys(settings) as Owner[];

const sold = (of: Scope): string => `
  select s.id as sale, j.key as place, s.program_id, s.created_at, s.occurred_at, ${told("code")} as code, ${told("state")} as state,
    c.id as coupon_id, c.created_at as made_at, c.status as coupon_status, c.valid_from as coupon_valid_from,
    c.valid_until as coupon_valid_until, p.id as partner_id, p.status as partner_status
  from sales s join ${known} join coupons c on c.id = ${told("couponId")} join partners p on p.id = c.partner_id
  where ${of("s")} and s.coupons is not null and s.corrected_sale_id is null`;

const changed = `
  select o.program_id, o.subject, a.id, a.created_at, a.before, a.after
  from (${owners.map((owner) => `select program_id, '${owner} ' || ${owner}_id as subject, '${owner}.updated' as action from sold`).join(" union ")}) o
  cross join audit_entries a on a.program_id = o.program_id and a.subject = o.subject and a.action = o.action`;

const aboutSale = "sale, place, code, state, made_at, created_at, occurred_at";

/**
 * One row for each change of each setting, and one for each sale with the current value. The key `any` has a row for
 * each change, whichever setting was changed.
 */
const timeline = owners
  .flatMap((owner) => [
    ...Object.entries(settings[owner]).map(([name, column]) => ({
      owner,
      key: `${owner} ${name}`,
      was: field("before", name),
      now: `${owner}_${column}`,
      isChanged: `json_type(after, '$.${name}') is not null`,
    })),
    { owner, key: "any", was: "null", now: "null", isChanged: "1" },
  ])
  .map(
    ({ owner, key, was, now, isChanged }) => `
      select program_id, subject, '${key}' as key, created_at as at, 1 as is_change, id, ${was} as value, null as sale, null as place,
        null as code, null as state, null as made_at, null as created_at, null as occurred_at
      from changed where subject like '${owner} %' and ${isChanged}
      union all
      select program_id, '${owner} ' || ${owner}_id, '${key}', created_at, 0, 0, ${now}, ${aboutSale} from sold`,
  )
  .join(" union all ");

/**
 * The value of a setting when a sale was recorded: the value before the next change, or the current value if there was
 * no later change.
 */
const then = (key: string): string => `max(iif(key = '${key}', iif(later > 0, was, value), null))`;

/** Checks sales and changes in one pass by time, because a coupon may have many of both. */
const judgedSales = (of: Scope): string => `
  with sold as materialized (${sold(of)}), changed as materialized (${changed}),
  counted as (
    select *,
      sum(is_change) over (partition by program_id, subject, key order by at desc, is_change, id desc rows unbounded preceding) as later,
      sum(is_change) over (partition by program_id, subject, key order by at range between ${waitMs} preceding and ${waitMs} following) as near
    from (${timeline})
  ),
  valued as (
    select *, max(iif(is_change, value, null)) over (partition by program_id, subject, key, later) as was from counted
  )
  select ${aboutSale}, sum(iif(key = 'any', near, 0)) as changed_meanwhile, ${then("coupon status")} as coupon_status,
    ${then("coupon validFrom")} as valid_from, ${then("coupon validUntil")} as valid_until, ${then("partner status")} as partner_status
  from valued where not is_change group by sale, place`;

const stateThen = `case
  when coupon_status <> 'active' or partner_status <> 'active' then 'paused'
  when occurred_at < valid_from or occurred_at > valid_until then 'not_valid_then'
  else 'valid' end`;

/** The first report of a sale of customer `u` whose coupon attributed the customer at the instant `since`. */
const firstReport = `(select min(coalesce(b.corrected_sale_id, b.id)) from sales b
  where b.customer_id = u.id and b.occurred_at = u.since and ${ofFirstValid("b", "partnerId")} is u.partner_id)`;

export const couponInvariants: Invariants = {
  "coupons of another program's partner, or without a code": (of) => `
    select c.id as coupon, p.id as partner from coupons c left join partners p on p.id = c.partner_id
    where ${of("c")} and (p.program_id is not c.program_id
      or not exists (select 1 from coupon_codes k where k.coupon_id = c.id and k.program_id = c.program_id))
    union all
    select k.coupon_id, null from coupon_codes k left join coupons c on c.id = k.coupon_id
    where ${of("k")} and c.program_id is not k.program_id`,
  "coupons whose creation differs from the audit trail": (of) => `
    select c.id as coupon, a.id as audit_entry from coupons c
    left join audit_entries a on a.action = 'coupon.created' and a.program_id = c.program_id and a.subject = 'coupon ' || c.id
    where ${of("c")} and (a.created_at is not c.created_at or ${field("a.after", "partnerId")} is not c.partner_id
      or ${field("a.after", "codes")} is not (
        select json_group_array(o.code) from (select k.code from coupon_codes k where k.coupon_id = c.id order by k.position) o)
      or (select 2 * sum(k.position) - count(*) * (count(*) - 1) from coupon_codes k where k.coupon_id = c.id) <> 0
      or exists (select 1 from coupon_codes k
        where k.coupon_id = c.id and k.code not glob '*[^ -~]*' and k.code_key <> upper(k.code)))`,
  "sales with a coupon of another program or partner": (of) => `
    select s.id as sale, ${told("code")} as code from sales s join ${known} left join coupons c on c.id = ${told("couponId")}
    where ${of("s")} and s.coupons is not null and ${told("state")} <> 'unknown'
      and (c.program_id is not s.program_id or c.partner_id is not ${told("partnerId")} or (
        ${told("code")} not glob '*[^ -~]*' and not ${isWithoutCodes} and not exists (select 1 from coupon_codes k
          where k.coupon_id = c.id and k.code_key = upper(${told("code")}))))`,
  "sales with a coupon whose outcome doesn't match its settings at the time": (of) => `
    select sale, code, state from (${judgedSales(of)})
    where changed_meanwhile = 0 and (made_at > created_at + ${waitMs} or state <> ${stateThen})
    union all
    select s.id, ${told("code")}, 'unknown' from sales s cross join ${known} cross join coupon_codes k
      on k.program_id = s.program_id and k.code_key = upper(${told("code")}) join coupons c on c.id = k.coupon_id
    where ${of("s")} and s.coupons is not null and s.corrected_sale_id is null and not s.is_erased and ${told("state")} = 'unknown'
      and ${told("code")} not glob '*[^ -~]*' and c.created_at < s.created_at - ${waitMs}`,
  "customers of a coupon who had bought before": (of) => `
    select u.id as customer, s.id as sale from customers u join sales s on s.customer_id = u.id
    where ${of("u")} and u.source = 'coupon' and s.occurred_at <= u.since and s.id < ${firstReport} and not ${isReplaced}`,
  "commissions whose explanation has other coupons than their sale": (of) => `
    select c.id as commission, s.id as sale from commissions c join sales s on s.id = c.sale_id
    where ${of("c")} and ${field("c.explanation", "coupons")} is not iif(s.coupons is null, null, (
      select json_group_array(json(of_one)) from (
        select json_object('code', ${told("code")}, 'partnerCode', ${told("partnerCode")}, 'outcome', ${outcome}) as of_one
        from ${known} order by j.key)))`,
  "customers and commissions attributed by a coupon that none of the customer's sales used": (of) => `
    select u.id as customer, null as commission from customers u
    where ${of("u")} and u.source = 'coupon' and not ${cameWith("u.id", "u.since", "u.partner_id")}
    union all
    select s.customer_id, c.id from commissions c join sales s on s.id = c.sale_id
    where ${of("c")} and c.source = 'coupon'
      and not ${cameWith("s.customer_id", field("c.explanation", "direct.since"), "c.partner_id")}
      and not exists (select 1 from pending_moves m
        where m.customer_id = s.customer_id and (s.occurred_at, s.id) > (m.after_occurred_at, m.after_sale_id))`,
  "customers of a coupon who aren't final although one of its commissions was approved": (of) => `
    select u.id as customer, c.id as commission from commissions c join sales s on s.id = c.sale_id
    join customers u on u.id = s.customer_id
    where ${of("c")} and c.source = 'coupon' and c.approved_at is not null and u.source = 'coupon'
      and u.partner_id = c.partner_id and u.confirmed_at is null and not exists (
        select 1 from sales n where n.corrected_sale_id = coalesce(s.corrected_sale_id, s.id)
          and n.correction > coalesce(s.correction, 0) and n.customer_id is not s.customer_id)`,
  // If a hold has revoked the approval, the customer's attribution stays final.
  "customers of a coupon who are final without an approval": (of) => `
    select u.id as customer, u.confirmed_at from customers u
    where ${of("u")} and u.source = 'coupon' and u.confirmed_at is not null and not exists (
      select 1 from sales s join commissions c on c.sale_id = s.id
      where s.customer_id = u.id and c.source = 'coupon' and c.partner_id = u.partner_id
        and (c.approved_at = u.confirmed_at or exists (
          select 1 from commission_signals g where g.commission_id = c.id and g.effect = 'hold'
            and g.raised_at >= u.confirmed_at - ${clockToleranceMs})))`,
};
