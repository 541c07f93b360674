import { countedColumns, recentColumns } from "../../scripts/audit/counts.ts";
import { accessCases } from "./access-cases.ts";
import { approvalCases } from "./approval-cases.ts";
import { bindingCases } from "./binding-cases.ts";
import { claimCases } from "./claim-cases.ts";
import { couponCases } from "./coupon-cases.ts";
import { erasureCases } from "./erasure-cases.ts";
import { explanationCases } from "./explanation-cases.ts";
import { groupCases } from "./group-cases.ts";
import { renewalCases } from "./renewal-cases.ts";
import { riskCases } from "./risk-cases.ts";
import { unitCases } from "./unit-cases.ts";

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
    "commissions whose partner, currency or book differs from their sale's",
    "update commissions set partner_id = :bob where :own and status = 'pending'",
  ],
  [
    "commissions whose partner, currency or book differs from their sale's",
    "update commissions set currency = 'USD' where :own and status = 'void'",
  ],
  [
    "commissions that are not the sum of their entries",
    "update commissions set amount_cents = amount_cents + 1 where :own and status = 'pending'",
  ],
  [
    "void commissions with an amount or entries",
    "update commissions set initial_cents = 1 where :own and status = 'void'",
  ],
  [
    "commissions without exactly one entry for their initial amount",
    "delete from ledger_entries where :own and kind = 'earned'",
  ],
  [
    "commissions that aren't proportional to the unrefunded part of their sale",
    "update commissions set amount_cents = amount_cents - 1 where :own and status = 'pending'",
  ],
  [
    "reversed commissions of sales that aren't fully refunded, and open commissions of sales that are",
    "update commissions set status = 'reversed', reversed_number = -id where :own and status = 'pending'",
  ],
  [
    "reversed commissions of sales that aren't fully refunded, and open commissions of sales that are",
    "update commissions set status = 'pending', reversed_number = null where :own and status = 'reversed'",
  ],
  [
    "rejected commissions with an amount, and rejections of commissions that aren't rejected",
    "update commissions set status = 'rejected' where :own and status = 'pending'",
  ],
  [
    "rejected commissions with an amount, and rejections of commissions that aren't rejected",
    "update ledger_entries set kind = 'rejected', refund_id = null where :own and kind = 'reversed'",
  ],
  ...[
    "update commissions set status = 'approved', approved_at = created_at, approved_by = 'hold', payable_number = -id where :own and is_unconfirmed",
    "update customers set evidence = 'key' where :own and evidence = 'browser'",
    "update customers set confirmed_at = 1 where :own and evidence = 'browser'",
    "update commissions set is_unconfirmed = 0 where :own and is_unconfirmed",
  ].map((by): Case => ["commissions whose unconfirmed state doesn't match their approval or customer", by]),
  [
    "approvals without a time, or before the end of the hold",
    "update commissions set status = 'approved', approved_at = 1, approved_by = 'hold', payable_number = -id where :own and status = 'pending'",
  ],
  [
    "customers for whom a one-time policy pays more than once",
    "update commission_policies set scope = 'one_time' where :own",
  ],
  [
    "customers whose one-time commission is another customer's, or was reversed while pending",
    `update customers set one_time_commission_id = (select min(id) from commissions where :own and status = 'void')
     where :own`,
  ],
  [
    "commissions whose explanation has another sale, partner, amount or reason",
    "update commissions set explanation = '{' where :own",
  ],
  [
    "commissions whose explanation has another sale, partner, amount or reason",
    "update commissions set explanation = json_set(explanation, '$.amountCents', 1) where :own and status = 'pending'",
  ],
  [
    "commissions whose explanation has another sale, partner, amount or reason",
    "update commissions set explanation = json_remove(explanation, '$.reason') where :own and status = 'void'",
  ],
  [
    "entries whose currency or book differs from their commission's",
    "update ledger_entries set currency = 'USD' where :own",
  ],
  [
    "entries that leave a former partner part of a commission",
    "update ledger_entries set partner_id = :bob where :own and kind = 'earned'",
  ],
  [
    "entries that leave a former partner part of a commission",
    "update ledger_entries set partner_id = :bob where :own and kind = 'reversed'",
  ],
  [
    "entries posted before an entry with a smaller id",
    "update ledger_entries set created_at = 1 where :own and id = (select max(id) from ledger_entries where :own)",
  ],
  ...[
    "update ledger_entries set created_at = created_at - 86400000 where :own and kind = 'reversed'",
    "update ledger_entries set created_at = created_at - 86400000 where :own and kind = 'earned'",
  ].map((by): Case => ["entries posted before the event that caused them", by]),
  [
    "customers who could earn a second one-time commission",
    `update commission_policies set scope = 'one_time' where :own;
     update customers set one_time_commission_id = null where :own`,
  ],
  ["recent clicks whose event id belongs to another click, or to none", "delete from click_event_ids where :own"],
  [
    "entries that make a commission negative",
    "update ledger_entries set amount_cents = -100000 where :own and kind = 'reversed'",
  ],
  [
    "reversals and restorations that don't match their refund",
    "update ledger_entries set amount_cents = amount_cents - 1 where :own and kind = 'reversed'",
  ],
  [
    "refunds that reverse something without exactly one entry",
    "delete from ledger_entries where :own and kind = 'reversed'",
  ],
  [
    "sales whose refunded amount differs from their refunds, or exceeds the sale",
    "update sales set refunded_cents = refunded_cents - 1 where :own and refunded_cents > 0",
  ],
  [
    "sales whose refunded amount differs from their refunds, or exceeds the sale",
    "update refunds set counted_cents = counted_cents + 1 where :own",
  ],
  ["canceled refunds that still count", "update refunds set counted_cents = 1 where :own and refund_id is not null"],
  [
    "refunds reported both by amount and by total, and charges with two totals",
    "update refunds set asked = 'cancel_total', told_cents = 0 where :own and asked = 'cancel'",
  ],
  [
    "refunds reported both by amount and by total, and charges with two totals",
    "update refunds set charge_total_cents = id where :own",
  ],
  [
    "refunds with a wrong running total",
    "update refunds set refunded_total_cents = refunded_total_cents + 1 where :own",
  ],
  [
    "refunds whose partner, currency or book differs from their sale's, or that precede it",
    "update refunds set partner_id = :bob where :own",
  ],
  [
    "refunds whose partner, currency or book differs from their sale's, or that precede it",
    "update refunds set occurred_at = 1 where :own",
  ],
  ["refunds with a wrong status", "update refunds set status = 'reversed' where :own and status = 'refunded'"],
  [
    "refunds with a wrong remaining commission",
    "update refunds set commission_amount_cents = commission_amount_cents + 1 where :own",
  ],
  [
    "customers with more than one lead",
    "update leads set customer_id = (select max(id) from customers where :own) where :own and customer_id is not null",
  ],
  [
    "leads whose partner, click or book differs from their customer's",
    "update leads set partner_id = :bob where :own and partner_id is not null",
  ],
  [
    "leads without a customer that have a partner",
    "update leads set customer_id = null, unsettled_key = id where :own and partner_id is not null",
  ],
  [
    "customers attributed to another partner than their link's",
    "update customers set partner_id = :bob where :own and partner_id is not null",
  ],
  [
    "customers attributed to a click that none of their calls sent",
    "delete from customer_clicks where customer_id in (select id from customers where :own)",
  ],
  [
    "customers' clicks whose mark for a customer key is wrong",
    "update customer_clicks set is_nameless = 1 where customer_id in (select id from customers where :own)",
  ],
  ["sales whose book or partner differs from their customer's", "update customers set is_test = 1 where :own"],
  [
    "sales whose book or partner differs from their customer's",
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
    "event ids without a click, or with a click of another book, link or time",
    "update click_event_ids set click_id = 'gone' where :own",
  ],
  [
    "event ids without a click, or with a click of another book, link or time",
    "update click_event_ids set link_id = link_id + 1 where :own",
  ],
  [
    "clicks with the same event id and link within 24 hours",
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
  ["live rows of the partner created for verification", "update partners set is_synthetic = 1 where :own"],
  ["clicks of another partner or program than their link's", "update clicks set partner_id = :bob where :own"],
  [
    "clicks sent to another program than their link's",
    `update customer_clicks set link_id = (select id from referral_links where partner_id = :stranger)
     where customer_id in (select id from customers where :own)`,
  ],
  [
    "customers' clicks that were recorded in the other book",
    "update clicks set is_test = 1 where :own and event_id is not null",
  ],
  [
    "commissions by another program's policy, or another partner's",
    `update commissions set policy_id = (select c.id from commission_policies c join partners p using (program_id)
       where p.id = :stranger) where :own and policy_id is not null`,
  ],
  [
    "commissions of sales after the months that a recurring policy covers",
    `update sales set occurred_at = occurred_at - 8640000000 where :own and transaction_id = 't';
     update commission_policies set scope = 'recurring', duration_months = 3 where :own`,
  ],
  [
    "customers confirmed by a person without an approval",
    "update customers set confirmed_at = 1 where :own and evidence = 'browser'",
  ],
  [
    "policies that are in force before an earlier version",
    `insert into commission_policies
       (id, program_id, version, type, rate_bps, scope, hold_days, effective_from, created_at)
     select -id, program_id, version + 1, type, rate_bps, scope, hold_days, effective_from - 1, created_at
     from commission_policies where :own`,
  ],
  // Changes the policy and not the amount, so that the wrong amount agrees with its ledger entry, its counts and its
  // explanation.
  [
    "commissions whose initial amount doesn't match their policy",
    "update commission_policies set rate_bps = rate_bps + 1 where :own",
  ],
  [
    "commissions whose hold ends at another time than their policy says",
    "update commissions set hold_until = hold_until - 86400000 where :own and status = 'pending'",
  ],
  [
    "commissions whose hold ends at another time than their policy says",
    `update commissions set status = 'approved', approved_at = 1, approved_by = 'hold', payable_number = -id, hold_until = 1
     where :own and status = 'pending'`,
  ],
  [
    "commissions by another policy than the one in force at their sale",
    "update commission_policies set effective_from = 1, type = 'none' where :own",
  ],
  [
    "void commissions with a wrong reason",
    "update commissions set reason = 'currency_mismatch' where :own and status = 'void'",
  ],
  [
    "commissions whose explanation doesn't match the stored rows",
    "update commissions set explanation = json_set(explanation, '$.policy.rateBps', 1) where :own and status = 'pending'",
  ],
  ...explanationCases,
  ...approvalCases,
  ...groupCases,
  ...unitCases,
  ...couponCases,
  [
    "unattributed sales of a customer who was locked by an earlier click",
    `update sales set partner_id = null, partner_code = null, reason = 'no_click'
     where id = (select max(id) from sales where :own and transaction_id = 'v')`,
  ],
  [
    "sales attributed to a partner before the start of the customer's attribution",
    "update customers set since = unixepoch() * 1000 where :own and source = 'import'",
  ],
  [
    "sales after an import or assignment that are attributed by other evidence",
    "update customers set source = 'person' where :own and source = 'import'",
  ],
  [
    "customers whose attribution is incomplete, or lacks the evidence sent with their click",
    "update customers set confirmed_at = null where :own and source = 'import'",
  ],
  [
    "customers whose attribution is incomplete, or lacks the evidence sent with their click",
    "update customers set source = 'import' where :own and source = 'click'",
  ],
  [
    "commissions whose explanation doesn't match the stored rows",
    "update commissions set source = 'person' where :own and source = 'click'",
  ],
  [
    "commissions whose explanation doesn't match the stored rows",
    "update commissions set explanation = json_remove(explanation, '$.direct') where :own and source = 'import'",
  ],
  [
    "refunds that count with another amount than was reported",
    "update refunds set told_cents = told_cents - 1 where :own and asked = 'amount'",
  ],
  ...Object.keys(recentColumns).map(
    (column): Case => [
      "hourly counts that don't match the events",
      `update recent_hours set ${column} = ${column} + 1 where :own`,
    ],
  ),
  ...Object.entries(countedColumns).flatMap(([table, columns]) =>
    Object.keys(columns).map(
      (column): Case => [
        `daily counts that don't match the ${table.replace("_", " ")}`,
        `update daily_counts set ${column} = ${column} + 1 where :own`,
      ],
    ),
  ),
  [
    "notes that differ from the audit trail",
    `insert into notes (id, program_id, kind, subject, text)
      select -id, program_id, 'reason', 'partner ' || id, 'x' from partners where :own`,
  ],
  [
    "notes that differ from the audit trail",
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
  ...claimCases,
  ...erasureCases,
  ...riskCases,
  ...renewalCases,
];
