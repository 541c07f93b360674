import type { Case } from "./audit-cases.ts";

export const bindingCases: readonly Case[] = [
  ...[
    "delete from audit_entries where :own and action = 'customer.imported'",
    "delete from audit_entries where :own and action = 'customer.assigned'",
    "update customers set since = since - 1 where :own and source = 'person'",
    "update customers set source = 'person' where :own and source = 'import'",
    `update customers set partner_id = :bob, source = 'import', link_id = (select id from referral_links where partner_id = :bob), since = created_at,
      bound_at = created_at, confirmed_at = created_at, reason = null where :own and partner_id is null`,
  ].map(
    (by): Case => [
      "customers with an imported or assigned partner that the audit trail doesn't have, or has differently",
      by,
    ],
  ),
  ...[
    "update customers set imported_first_sale_at = imported_first_sale_at - 1 where :own and imported_first_sale_at is not null",
    "update customers set imported_subscription_id = 'another' where :own and imported_subscription_id is not null",
    "update customers set imported_first_sale_at = 1 where :own and source = 'person'",
  ].map((by): Case => ["customers whose imported first sale or subscription differs from the audit trail", by]),
  ...[
    "update commissions set sub = 'other' where :own and sub is not null",
    "update commissions set sub = 'other' where :own and source = 'import'",
    "update clicks set sub = null where :own",
  ].map((by): Case => ["commissions whose sub-id is not their click's", by]),
  [
    "one-time commissions of customers whose first sale a former program paid",
    "update commission_policies set scope = 'one_time' where :own",
  ],
  [
    "customers whose attribution is incomplete, or lacks the evidence sent with their click",
    "update customers set bound_by = 'sale' where :own and partner_id is null",
  ],
  [
    "customers whose attribution is incomplete, or lacks the evidence sent with their click",
    "update customers set reason = 'no_click' where :own and reason = 'attribution_window_expired'",
  ],
  [
    "clicks that moved to another customer without a correction of their sale",
    "update customer_clicks set evidence = 'moved' where customer_id in (select id from customers where :own)",
  ],
];
