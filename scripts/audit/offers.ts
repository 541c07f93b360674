import { field, type Invariants } from "./invariant.ts";

const terms = {
  version: "version",
  state: "state",
  label: "label",
  details: "details",
  couponIds: "coupon_ids",
  until: "until",
} as const;

const isUnlikeTrail = Object.entries(terms)
  .map(([name, column]) => `${field("a.after", name)} is not o.${column}`)
  .join(" or ");

const newestOfOwner = `(
  select n.version from offers n where n.program_id = o.program_id and n.group_id is o.group_id
  order by n.version desc limit 1)`;

export const offerInvariants: Invariants = {
  "offers that differ from the audit trail": (of) => `
    select o.version as offer, a.id as audit_entry from offers o
    left join audit_entries a on a.operation_id = o.operation_id and a.action = 'offer.set'
    where ${of("o")} and (a.program_id is not o.program_id or o.effective_from <> max(a.created_at, coalesce((
        select e.effective_from from offers e where e.program_id = o.program_id and e.group_id is o.group_id
          and e.version < o.version order by e.version desc limit 1), 0))
      or a.subject <> coalesce('group ' || o.group_id, 'program ' || o.program_id) or ${isUnlikeTrail})
    union all
    select null, a.id from audit_entries a
    where ${of("a")} and a.action = 'offer.set' and not exists (
      select 1 from offers o where o.program_id = a.program_id and o.operation_id = a.operation_id)`,
  "offers that are in force before an earlier version": (of) => `
    select offer, effective_from from (
      select o.version as offer, o.effective_from, o.effective_from
        - lag(o.effective_from) over (partition by o.program_id, o.group_id order by o.version) as after_ms
      from offers o where ${of("o")}
    ) where after_ms < 0`,
  "coupon ids of offers that aren't those of the newest versions": (of) => `
    select c.version as offer, c.code from offer_coupons c
    left join offers o on o.program_id = c.program_id and o.version = c.version
    where ${of("c")} and (o.version is null or o.version <> ${newestOfOwner} or not exists (
      select 1 from json_each(o.coupon_ids) i where i.key = c.processor and i.value = c.code)
      or (c.code not glob '*[^ -~]*' and c.code_key <> upper(c.code)))
    union all
    select o.version, i.value from offers o join json_each(coalesce(o.coupon_ids, '{}')) i
    where ${of("o")} and o.version = ${newestOfOwner} and not exists (
      select 1 from offer_coupons c where c.program_id = o.program_id and c.version = o.version and c.processor = i.key)`,
  "coupons with a code that is an offer's coupon id": (of) => `
    select c.coupon_id as coupon, o.version as offer from offer_coupons o
    join coupon_codes c on c.program_id = o.program_id and c.code_key = o.code_key
    where ${of("o")}`,
};
