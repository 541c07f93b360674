import type { Case } from "./audit-cases.ts";

const live =
  "(select l.id from payout_lines l join payouts p on p.id = l.payout_id where l.state = 'live' and p.status = 'paid')";
const held = `(select c.id from payout_ranges r join commissions c on c.program_id = r.program_id
  and c.currency = r.currency and c.partner_id = r.partner_id and c.payable_number > r.from_number
  and c.payable_number <= r.to_number and c.is_test = 0)`;
const holder = "numbers that aren't in their line, and lines with the numbers of others";
const taken = "lines whose commissions or adjustments don't match";
const range = "ranges that overlap, or don't belong to an active line up to its cutoff";
const frozen = "lines whose person, address or amount changed after their payout was finalized";
const skipped = "lines left out of a payout in other numbers than the audit trail says";
const drafted = "payouts whose draft total differs from the audit trail";
const untold = "settings without an audit entry that aren't the initial ones";
const redirected = "update partners set email = 'mallory@evil.example' where email = 'p@example.com'";
const numbered = "statements that are not numbered in the order of the partner's payments, or mailed without an entry";
const paid = "lines of a paid payout without their payment, and payments of other lines";

const settled = "payouts settled by API that don't match their lines";
const late = "late settlements without exactly their adjustment, and such adjustments without a late settlement";
const told = "settled lines that differ from the audit trail";

const stepped = "payouts whose steps differ from the audit trail";
const given = "awarded bonuses without exactly their adjustment";
const due = "due bonuses that don't match the approved sales";

const free = "free numbers that don't match the ranges of lines";
const noted = "active lines that don't match final and paid payouts";

/** Cases that need a different history than the one in `audit-seed.ts`. */
export const payoutCases: readonly Case[] = [
  [holder, "delete from payout_ranges where to_number = (select min(to_number) from payout_ranges)"],
  [holder, "update payout_ranges set from_number = from_number + 1"],
  [holder, "update payout_ranges set to_number = to_number - 1"],
  [
    range,
    "insert into payout_ranges select program_id, currency, partner_id, to_number + 1, from_number, payout_id from payout_ranges",
  ],
  [
    range,
    `insert into payout_ranges select l.program_id, l.currency, l.partner_id, 2, 1, l.payout_id from payout_lines l
     where l.state = 'failed'`,
  ],
  [free, "delete from payout_gaps where to_number = 9007199254740991"],
  [free, "update payout_gaps set from_number = from_number + 1"],
  [free, "insert into payout_gaps select program_id, currency, partner_id, 2, 1 from payout_gaps group by 1, 2, 3"],
  [noted, "delete from live_lines where payout_id = (select min(payout_id) from live_lines)"],
  [noted, "update live_lines set finalized_number = finalized_number - 1"],
  [taken, `update commissions set payable_number = 1000000000 where id in ${held}`],
  [taken, `update commissions set status = 'reversed', reversed_number = 1 where id in ${held}`],
  [taken, `update payout_lines set adjustments_cents = adjustments_cents + 1 where id in ${live}`],
  [
    "lines whose amount differs from what was payable up to their cutoff",
    `update payout_lines set amount_cents = amount_cents + 1 where id in ${live}`,
  ],
  [
    "accounts that don't match entries and lines",
    "update partner_balances set payable_cents = payable_cents - 1, in_payout_cents = in_payout_cents + 1",
  ],
  ["accounts that don't match entries and lines", "update payouts set status = 'final' where status = 'paid'"],
  [numbered, `update payout_lines set statement_number = statement_number + 1 where id in ${live}`],
  [numbered, `update payout_lines set statement_number = null where id in ${live}`],
  [numbered, `update payout_lines set statement_mailed_at = 1 where id in ${live}`],
  [paid, "update payout_lines set state = 'live' where state = 'failed'"],
  [paid, "delete from ledger_entries where kind = 'returned'"],
  [
    paid,
    "insert into ledger_entries select -id, program_id, is_test, commission_id, partner_id, 'returned', -amount_cents, currency, refund_id, occurred_at, created_at, day, adjustment_id, payout_line_id from ledger_entries where kind = 'paid'",
  ],
  [
    paid,
    "delete from ledger_entries where kind = 'paid' and payout_line_id in (select id from payout_lines where settled_at > 0)",
  ],
  [
    paid,
    "insert into ledger_entries select -id, program_id, is_test, commission_id, partner_id, kind, amount_cents, currency, refund_id, occurred_at, created_at, day, adjustment_id, payout_line_id from ledger_entries where kind = 'paid' and payout_line_id in (select id from payout_lines where settled_at > 0)",
  ],
  [paid, "update payout_lines set settled_at = null, settlement_id = null where settled_at is not null"],
  [settled, "update payouts set settled_cents = settled_cents - 1 where settled_cents > 1"],
  [settled, "update payouts set returned_cents = returned_cents + 1 where returned_cents > 0"],
  [settled, "update payouts set status = 'final' where settled_by = 'api' and status = 'paid'"],
  [late, "delete from adjustments where reference like 'settled:%'"],
  [late, "update adjustments set amount_cents = amount_cents + 1 where reference like 'settled:%'"],
  [late, "update payout_lines set late_settled_at = null, late_settlement_id = null where late_settled_at is not null"],
  [given, "update adjustments set amount_cents = amount_cents + 1 where reference like 'bonus:%'"],
  [given, "update adjustments set currency = 'USD' where reference like 'bonus:%'"],
  [given, "update adjustments set reference = 'bonus:99:2026-01' where reference like 'bonus:%'"],
  [given, "update adjustments set reference = reference || 'x' where reference like 'bonus:%'"],
  [
    given,
    "update adjustments set reference = 'bonus:' || (select max(id) from bonuses) || ':2001-01' where reference like 'bonus:%'",
  ],
  [
    given,
    "update adjustments set reference = 'bonus:' || (select max(id) from bonuses) || ':2099-01' where reference like 'bonus:%'",
  ],
  [
    given,
    `insert into adjustments select -id, program_id, partner_id, amount_cents, currency, reason_id, partner_note_id,
      replace(reference, 'bonus:', 'bonus:0'), created_by, created_at from adjustments where reference like 'bonus:%'`,
  ],
  [
    given,
    "update adjustments set created_at = (select min(created_at) - 1 from bonuses) where reference like 'bonus:%'",
  ],
  ["bonuses awarded for sales that the partner didn't have", "update bonuses set threshold = threshold + 1000"],
  ["bonuses awarded for sales that the partner didn't have", "update sales set day = '2020-01-01'"],
  [due, "delete from adjustments where reference like 'bonus:%'"],
  [due, "delete from due_bonuses"],
  [
    due,
    "insert into due_bonuses select program_id, last_month, (select min(id) from bonuses), partner_id from due_bonuses",
  ],
  [
    "counts of approved sales that don't match the commissions",
    "update tier_counts set approved_sales = approved_sales + 1",
  ],
  ["bonuses that differ from the audit trail", "delete from audit_entries where action = 'bonus.ended'"],
  ["bonuses that differ from the audit trail", "delete from audit_entries where action = 'bonus.dismissed'"],
  [stepped, "update payouts set due_at = due_at + 1 where due_at is not null"],
  [told, "update payout_lines set settlement_id = 'other' where settled_at is not null"],
  [told, "delete from audit_entries where action = 'payout.line_settled_late'"],
  [
    "lines whose state doesn't match their payout, or that lack a reason or their draft's values",
    "update payout_lines set reason = null where state = 'skipped'",
  ],
  [
    "lines whose state doesn't match their payout, or that lack a reason or their draft's values",
    `update payout_lines set before_cents = null where id in ${live}`,
  ],
  [
    "payouts whose numbers are out of order, or whose cutoff isn't the last number of their time",
    "update payouts set finalized_number = cut where status = 'paid'",
  ],
  [
    "payouts whose numbers are out of order, or whose cutoff isn't the last number of their time",
    "update payouts set cut = 1, until = until + 3600000, created_at = created_at + 3600000 where status = 'draft'",
  ],
  [
    "numbers used by two operations",
    "update payouts set canceled_number = (select max(id) from ledger_entries) where canceled_number > 0",
  ],
  [
    "commissions whose numbers don't match their state",
    "update commissions set reversed_number = 7 where status = 'approved'",
  ],
  ...[
    "update payout_lines set email = 'mallory@evil.example' where state = 'live' and email is not null",
    "update payout_lines set external_id = 'mallory' where state = 'live' and external_id is not null",
    "update payout_lines set name = 'Mallory' where state = 'live'",
    "update payout_lines set before_cents = before_cents + 5 where state = 'failed'",
    "update payout_lines set details_changed_at = null where state = 'live' and details_changed_at is not null",
    "update payout_lines set email = null, evidence_salt = null where state = 'live' and email is not null",
    "update payout_lines set evidence = null, evidence_salt = null where state = 'live'",
  ].map((by): Case => [frozen, by]),
  [
    "payouts whose lines don't match the digest in the audit trail",
    "update audit_entries set after = json_set(after, '$.evidence', 'x') where action = 'payout.finalized'",
  ],
  ...[
    "delete from payout_lines where state = 'skipped'",
    "update payout_lines set reason = 'paused' where state = 'skipped'",
  ].map((by): Case => [skipped, by]),
  [drafted, "update payout_lines set before_cents = before_cents + 5 where state = 'live'"],
  ...[redirected, "update partners set external_id = 'mallory' where external_id = 'user-bob'"].map(
    (by): Case => ["lines with another address or external id than their partner has had since", by],
  ),
  ["partners whose email address differs from the audit trail's last entry", redirected],
  ...["payoutApproval", "minimumPayoutCents", "payerIban", "requireDetails"].map(
    (name): Case => [untold, `delete from audit_entries where action = 'program.updated' and after like '%${name}%'`],
  ),
  [
    "first audit entries whose previous value isn't the initial one",
    "update audit_entries set before = json_set(before, '$.payoutApproval', 'two_people') where action = 'program.updated' and json_type(before, '$.payoutApproval') = 'text'",
  ],
  [untold, "update partners set is_risk_exempt = 1 where id in (select after ->> '$.partnerId' from audit_entries)"],
];
