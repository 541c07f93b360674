import { countedColumns, recentColumns } from "../../scripts/audit/counts.ts";
import { accessCases } from "./access-cases.ts";
import { approvalCases } from "./approval-cases.ts";
import { bindingCases } from "./binding-cases.ts";
import { couponCases } from "./coupon-cases.ts";
import { erasureCases } from "./erasure-cases.ts";
import { explanationCases } from "./explanation-cases.ts";
import { groupCases } from "./group-cases.ts";
import { renewalCases } from "./renewal-cases.ts";
import { riskCases } from "./risk-cases.ts";

/** The rule of the audit that reports the damage, and the statement that causes the damage. */
export type Case = readonly [broken: string, by: string];

/**
 * In a statement, `:own` restricts the rows to the case's program, `:bob` is its second partner, and `:stranger`
 * belongs to no program.
 */
export const cases: readonly Case[] = [
  [
    "sales whose items don't add up to their amount",
    `update sales set items = '[{"itemId":"1","productId":"p","amountCents":1,"quantity":1}]' where :own and amount_cents > 1`,
  ],
  ["sales without exactly one commission", "delete from commissions where :own and status = 'void'"],
  [
    "commissions of another partner, currency or book than their sale",
    "update commissions set partner_id = :bob where :own and status = 'pending'",
  ],
  [
    "commissions of another partner, currency or book than their sale",
    "update commissions set currency = 'USD' where :own and status = 'void'",
  ],
  [
    "commissions that are not the sum of their entries",
    "update commissions set amount_cents = amount_cents + 1 where :own and status = 'pending'",
  ],
  [
    "void commissions that come to something",
    "update commissions set initial_cents = 1 where :own and status = 'void'",
  ],
  [
    "commissions that are due and were not earned once, as a whole",
    "delete from ledger_entries where :own and kind = 'earned'",
  ],
  [
    "commissions that are not their share of what is left of the sale",
    "update commissions set amount_cents = amount_cents - 1 where :own and status = 'pending'",
  ],
  [
    "reversed commissions of sales that are not refunded whole, and open ones of sales that are",
    "update commissions set status = 'reversed', reversed_number = -id where :own and status = 'pending'",
  ],
  [
    "reversed commissions of sales that are not refunded whole, and open ones of sales that are",
    "update commissions set status = 'pending', reversed_number = null where :own and status = 'reversed'",
  ],
  [
    "rejected commissions that come to something, and rejections of others",
    "update commissions set status = 'rejected' where :own and status = 'pending'",
  ],
  [
    "rejected commissions that come to something, and rejections of others",
    "update ledger_entries set kind = 'rejected', refund_id = null where :own and kind = 'reversed'",
  ],
  ...[
    "update commissions set status = 'approved', approved_at = created_at, approved_by = 'hold', payable_number = -id where :own and is_unconfirmed",
    "update customers set evidence = 'key' where :own and evidence = 'browser'",
    "update customers set confirmed_at = 1 where :own and evidence = 'browser'",
    "update commissions set is_unconfirmed = 0 where :own and is_unconfirmed",
  ].map(
    (by): Case => [
      "unconfirmed commissions that were approved, or whose customer is confirmed, and the other way round",
      by,
    ],
  ),
  [
    "approvals without an instant, or before the end of the hold that gave them",
    "update commissions set status = 'approved', approved_at = 1, approved_by = 'hold', payable_number = -id where :own and status = 'pending'",
  ],
  [
    "customers for whom a one-time policy pays more than once",
    "update commission_policies set scope = 'one_time' where :own",
  ],
  [
    "customers whose one-time commission is not theirs, or was taken back while it was pending",
    `update customers set one_time_commission_id = (select min(id) from commissions where :own and status = 'void')
     where :own`,
  ],
  ["commissions whose explanation is not theirs", "update commissions set explanation = '{' where :own"],
  [
    "commissions whose explanation is not theirs",
    "update commissions set explanation = json_set(explanation, '$.amountCents', 1) where :own and status = 'pending'",
  ],
  [
    "commissions whose explanation is not theirs",
    "update commissions set explanation = json_remove(explanation, '$.reason') where :own and status = 'void'",
  ],
  [
    "entries of another currency or book than their commission",
    "update ledger_entries set currency = 'USD' where :own",
  ],
  [
    "entries of a partner whom their commission did not leave with all that it had",
    "update ledger_entries set partner_id = :bob where :own and kind = 'earned'",
  ],
  [
    "entries of a partner whom their commission did not leave with all that it had",
    "update ledger_entries set partner_id = :bob where :own and kind = 'reversed'",
  ],
  [
    "entries that were posted before an earlier one",
    "update ledger_entries set created_at = 1 where :own and id = (select max(id) from ledger_entries where :own)",
  ],
  ...[
    "update ledger_entries set created_at = created_at - 86400000 where :own and kind = 'reversed'",
    "update ledger_entries set created_at = created_at - 86400000 where :own and kind = 'earned'",
  ].map((by): Case => ["entries that were posted before what caused them", by]),
  [
    "customers whose one-time commission still earns and who are free to earn another",
    `update commission_policies set scope = 'one_time' where :own;
     update customers set one_time_commission_id = null where :own`,
  ],
  [
    "clicks of the last hours whose event stands for another click, or for none",
    "delete from click_event_ids where :own",
  ],
  [
    "entries that take a commission below nothing",
    "update ledger_entries set amount_cents = -100000 where :own and kind = 'reversed'",
  ],
  [
    "reversals and restorations that are not those of their refund",
    "update ledger_entries set amount_cents = amount_cents - 1 where :own and kind = 'reversed'",
  ],
  [
    "refunds that reverse something without exactly one entry",
    "delete from ledger_entries where :own and kind = 'reversed'",
  ],
  [
    "sales whose refunds come to something else, or to more than was paid",
    "update sales set refunded_cents = refunded_cents - 1 where :own and refunded_cents > 0",
  ],
  [
    "sales whose refunds come to something else, or to more than was paid",
    "update refunds set counted_cents = counted_cents + 1 where :own",
  ],
  ["closed refunds that count", "update refunds set counted_cents = 1 where :own and refund_id is not null"],
  [
    "calls of one refund told in two ways, and charges told in two totals",
    "update refunds set asked = 'cancel_total', told_cents = 0 where :own and asked = 'cancel'",
  ],
  [
    "calls of one refund told in two ways, and charges told in two totals",
    "update refunds set charge_total_cents = id where :own",
  ],
  [
    "refunds whose total is not that of all up to them",
    "update refunds set refunded_total_cents = refunded_total_cents + 1 where :own",
  ],
  [
    "refunds of another partner, currency or book than their sale, or before it",
    "update refunds set partner_id = :bob where :own",
  ],
  [
    "refunds of another partner, currency or book than their sale, or before it",
    "update refunds set occurred_at = 1 where :own",
  ],
  [
    "refunds whose status is not what they did",
    "update refunds set status = 'reversed' where :own and status = 'refunded'",
  ],
  [
    "refunds after which something else was left of the commission than they say",
    "update refunds set commission_amount_cents = commission_amount_cents + 1 where :own",
  ],
  [
    "customers with more than one lead",
    "update leads set customer_id = (select max(id) from customers where :own) where :own and customer_id is not null",
  ],
  [
    "leads of another partner, click or book than their customer",
    "update leads set partner_id = :bob where :own and partner_id is not null",
  ],
  [
    "leads that settled nobody and are somebody's",
    "update leads set customer_id = null, unsettled_key = id where :own and partner_id is not null",
  ],
  [
    "customers owed to another partner than their link's",
    "update customers set partner_id = :bob where :own and partner_id is not null",
  ],
  [
    "customers owed to a click that they did not show",
    "delete from customer_clicks where customer_id in (select id from customers where :own)",
  ],
  [
    "clicks shown by a customer with a key as one without, or the other way round",
    "update customer_clicks set is_nameless = 1 where customer_id in (select id from customers where :own)",
  ],
  [
    "sales of another book than their customer, or owed to another partner",
    "update customers set is_test = 1 where :own",
  ],
  [
    "sales of another book than their customer, or owed to another partner",
    "update sales set partner_id = :bob where :own and partner_id is not null",
  ],
  [
    "customers whose first sale, or first attributed sale, is not their earliest",
    "update customers set first_sale_at = first_sale_at - 1 where :own",
  ],
  [
    "customers whose first sale, or first attributed sale, is not their earliest",
    "update customers set first_attributed_sale_at = null where :own",
  ],
  [
    "events that stand for no click, or for that of another book, link or instant",
    "update click_event_ids set click_id = 'gone' where :own",
  ],
  [
    "events that stand for no click, or for that of another book, link or instant",
    "update click_event_ids set link_id = link_id + 1 where :own",
  ],
  [
    "clicks of one event on one link within 24 hours of each other",
    "update clicks set event_id = 'e' where :own and event_id is null and not is_test",
  ],
  ...[
    ...["clicks", "customers", "leads", "sales", "refunds", "commissions"],
    ...["referral_links", "commission_policies"],
  ].map(
    (table): Case => [
      "rows of another program's partner",
      `update ${table} set partner_id = :stranger where :own${table === "commission_policies" ? "" : " and partner_id is not null"}`,
    ],
  ),
  ["live rows of a partner made for verification", "update partners set is_synthetic = 1 where :own"],
  ["clicks of another partner or program than their link's", "update clicks set partner_id = :bob where :own"],
  [
    "clicks shown to another program than their link's",
    `update customer_clicks set link_id = (select id from referral_links where partner_id = :stranger)
     where customer_id in (select id from customers where :own)`,
  ],
  [
    "shown clicks that were recorded in another book",
    "update clicks set is_test = 1 where :own and event_id is not null",
  ],
  [
    "commissions by another program's policy, or another partner's",
    `update commissions set policy_id = (select c.id from commission_policies c join partners p using (program_id)
       where p.id = :stranger) where :own and policy_id is not null`,
  ],
  [
    "commissions of sales after the end of what a recurring policy covers",
    `update sales set occurred_at = occurred_at - 8640000000 where :own and transaction_id = 't';
     update commission_policies set scope = 'recurring', duration_months = 3 where :own`,
  ],
  [
    "customers whom a person confirmed without an approval",
    "update customers set confirmed_at = 1 where :own and evidence = 'browser'",
  ],
  [
    "policies that are in force before an earlier version",
    `insert into commission_policies
       (id, program_id, version, type, rate_bps, scope, hold_days, effective_from, created_at)
     select -id, program_id, version + 1, type, rate_bps, scope, hold_days, effective_from - 1, created_at
     from commission_policies where :own`,
  ],
  // This wrong amount also appears in its ledger entry, its counts and its explanation.
  [
    "commissions that are not what their policy gives for their sale",
    "update commission_policies set rate_bps = rate_bps + 1 where :own",
  ],
  [
    "commissions held until another instant than their policy says",
    "update commissions set hold_until = hold_until - 86400000 where :own and status = 'pending'",
  ],
  [
    "commissions held until another instant than their policy says",
    `update commissions set status = 'approved', approved_at = 1, approved_by = 'hold', payable_number = -id, hold_until = 1
     where :own and status = 'pending'`,
  ],
  [
    "commissions by another policy than the one in force at their sale",
    "update commission_policies set effective_from = 1, type = 'none' where :own",
  ],
  [
    "void commissions whose reason does not hold",
    "update commissions set reason = 'currency_mismatch' where :own and status = 'void'",
  ],
  [
    "commissions whose explanation was frozen from other rows",
    "update commissions set explanation = json_set(explanation, '$.policy.rateBps', 1) where :own and status = 'pending'",
  ],
  ...explanationCases,
  ...approvalCases,
  ...groupCases,
  ...couponCases,
  [
    "sales of no partner whose customer was locked by an earlier click",
    `update sales set partner_id = null, partner_code = null, reason = 'no_click'
     where id = (select max(id) from sales where :own and transaction_id = 'v')`,
  ],
  [
    "sales owed to a partner from before the customer's sales belong to them",
    "update customers set since = unixepoch() * 1000 where :own and source = 'import'",
  ],
  [
    "sales after an import or an assignment that rest on something else",
    "update customers set source = 'person' where :own and source = 'import'",
  ],
  [
    "customers whose attribution lacks a part, or evidence that their click was shown with",
    "update customers set confirmed_at = null where :own and source = 'import'",
  ],
  [
    "customers whose attribution lacks a part, or evidence that their click was shown with",
    "update customers set source = 'import' where :own and source = 'click'",
  ],
  [
    "commissions whose explanation was frozen from other rows",
    "update commissions set source = 'person' where :own and source = 'click'",
  ],
  [
    "commissions whose explanation was frozen from other rows",
    "update commissions set explanation = json_remove(explanation, '$.direct') where :own and source = 'import'",
  ],
  [
    "refunds that count for something else than what was told",
    "update refunds set told_cents = told_cents - 1 where :own and asked = 'amount'",
  ],
  ...Object.keys(recentColumns).map(
    (column): Case => [
      "hourly counts that are not those of the events",
      `update recent_hours set ${column} = ${column} + 1 where :own`,
    ],
  ),
  ...Object.entries(countedColumns).flatMap(([table, columns]) =>
    Object.keys(columns).map(
      (column): Case => [
        `daily counts that are not those of the ${table.replace("_", " ")}`,
        `update daily_counts set ${column} = ${column} + 1 where :own`,
      ],
    ),
  ),
  [
    "notes that are not what the audit trail says",
    `insert into notes (id, program_id, kind, subject, text)
      select -id, program_id, 'reason', 'partner ' || id, 'x' from partners where :own`,
  ],
  [
    "notes that are not what the audit trail says",
    `insert into audit_entries (id, program_id, operation_id, actor_id, action, subject, after, created_at)
      select -id, program_id, 'lost ' || id, 'u', 'partner.updated', 'partner ' || id, '{"name":{"note":-1}}', 1
      from partners where :own`,
  ],
  [
    "rows of an import that isn't in the audit trail",
    `insert into audit_entries (id, program_id, operation_id, actor_id, action, subject, after, created_at)
      select -id, program_id, 'lost ' || id, 'u', 'link.created', 'partner ' || id, '{"code":"x","madeBy":"import"}', 1
      from partners where :own`,
  ],
  ...bindingCases,
  ...accessCases,
  ...erasureCases,
  ...riskCases,
  ...renewalCases,
];
