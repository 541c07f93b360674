import type { Case } from "./audit-cases.ts";

const told = "commissions whose explanation has other coupons than their sale";
const foreign = "coupons of another program's partner, or without a code";
const created = "coupons whose creation differs from the audit trail";
const cameWith = "customers and commissions attributed by a coupon that none of the customer's sales used";
const judged = "sales with a coupon whose outcome doesn't match its settings at the time";
const couponed = ":own and coupons is not null";
const explained = ":own and explanation ->> '$.coupons' is not null";
const ofStranger = "(select program_id from partners where id = :stranger)";

/** Damage to a sale that was attributed by the second of its coupons. */
export const couponCases: readonly Case[] = [
  ...[
    `update coupons set program_id = ${ofStranger} where :own`,
    "update coupons set partner_id = :stranger where :own",
    "delete from coupon_codes where :own",
  ].map((by): Case => [foreign, by]),
  ...[
    "update coupons set partner_id = (select min(p.id) from partners p where p.program_id = coupons.program_id and p.id <> coupons.partner_id) where :own",
    "update coupon_codes set code = code || 'x' where :own",
    "update coupon_codes set position = 1 - position where :own",
    "update coupons set created_at = created_at + 1 where :own",
  ].map((by): Case => [created, by]),
  ...[
    `update sales set coupons = json_set(coupons, '$[1].partnerId', :stranger) where ${couponed}`,
    `update sales set coupons = json_set(coupons, '$[1].code', 'gone') where ${couponed}`,
  ].map((by): Case => ["sales with a coupon of another program or partner", by]),
  ...[
    "update coupons set valid_until = 1 where :own",
    "update coupons set created_at = (unixepoch() + 1000) * 1000 where :own",
    `update sales set coupons = json_set(coupons, '$[1].state', 'paused') where ${couponed}`,
    `update coupons set created_at = 1 where :own; update sales set coupons = json_set(coupons, '$[0].code', 'boB10') where ${couponed}`,
    `update audit_entries set action = 'partner.updated', subject = 'partner ' || :bob, before = '{"status":"paused"}',
     after = '{"status":"active"}', created_at = (unixepoch() + 1000) * 1000 where :own and action = 'coupon.created'`,
  ].map((by): Case => [judged, by]),
  [
    "customers of a coupon who had bought before",
    `update sales set occurred_at = 1, customer_id = (select id from customers where :own and source = 'coupon')
     where id = (select min(id) from sales where :own)`,
  ],
  ["settings that differ from the audit trail", "update coupons set status = 'paused' where :own"],
  ...[
    `update sales set coupons = json_set(coupons, '$[1].state', 'paused') where ${couponed}`,
    `update sales set coupons = null where ${couponed}`,
    `update commissions set explanation = json_set(explanation, '$.coupons[0].outcome', 'chosen') where ${explained}`,
    `update commissions set explanation = json_remove(explanation, '$.coupons') where ${explained}`,
  ].map((by): Case => [told, by]),
  ...[
    "update customers set since = since - 1 where :own and source = 'coupon'",
    "update commissions set source = 'coupon' where :own and source = 'import'",
    `update sales set coupons = json_set(coupons, '$[1].state', 'not_valid_then') where ${couponed}`,
  ].map((by): Case => [cameWith, by]),
  [
    "customers of a coupon who aren't final although one of its commissions was approved",
    `update commissions set status = 'approved', approved_at = 1, approved_by = 'person', payable_number = -id
     where :own and source = 'coupon'`,
  ],
  [
    "customers of a coupon who are final without an approval",
    "update customers set confirmed_at = created_at where :own and source = 'coupon'",
  ],
];
