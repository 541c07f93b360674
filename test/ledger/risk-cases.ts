import type { Case } from "./audit-cases.ts";

const ofHand = `:own and code = 'by_hand'`;
const unended = "signals that a person ended without a decision in the audit trail";
const byHand = "manual holds without an audit entry, and audit entries without their hold";
const restsOn = "signals raised before their commission, or without their cause";
const ofOthers = "signals whose book, program or partner differs from their commission's";

/** Inserts a signal for each pending commission, or for each commission that matches `where`. */
const raised = (values: string, where = "status = 'pending'") =>
  `insert into commission_signals (commission_id, program_id, is_test, code, effect, evidence, partner_id, raised_at, review_until, ended_at, ended_by)
   select id, program_id, is_test, ${values} from commissions where :own and ${where}`;

export const riskCases: readonly Case[] = [
  ...[
    "update commissions set held_at = created_at where :own and status = 'void'",
    "update commissions set payable_number = -id where :own and held_at is not null",
  ].map((by): Case => ["held commissions that aren't pending, or are payable", by]),
  ...[
    "update commissions set held_at = null where :own",
    "update commissions set held_at = held_at + 1 where :own",
    "update commissions set review_until = held_at where :own",
    "update commissions set held_at = created_at where :own and held_at is null and status = 'pending'",
    `update commission_signals set ended_at = raised_at, ended_by = 'person' where ${ofHand}`,
    raised("'duplicate_source', 'hold', '{}', null, created_at, null, null, null"),
  ].map((by): Case => ["commissions whose hold doesn't match their signals", by]),
  [
    "commissions approved automatically while they were held",
    "update commissions set approved_by = 'hold', approved_at = held_at + 1 where :own and held_at is not null",
  ],
  ...[
    `update commission_signals set is_test = 1 where ${ofHand}`,
    `update commission_signals set partner_id = :bob where ${ofHand}`,
    `update commission_signals set partner_id = null where :own and code = 'self_referral'`,
    `update commission_signals set partner_id = :stranger where :own and code = 'self_referral'`,
    "update commissions set partner_id = :bob where :own and held_at is not null",
  ].map((by): Case => [ofOthers, by]),
  ...[
    `update commission_signals set raised_at = 1 where ${ofHand}`,
    `update commission_signals set evidence = '{"host":"x"}' where ${ofHand}`,
    raised("'blocked_source', 'flag', '{}', partner_id, created_at, null, null, null"),
    raised(`'duplicate_source', 'flag', '{"saleId":-1,"occurredAt":1}', null, created_at, null, null, null`),
  ].map((by): Case => [restsOn, by]),
  [unended, `update commission_signals set ended_at = raised_at, ended_by = 'person' where ${ofHand}`],
  [unended, "update commission_signals set ended_at = ended_at - 1 where :own and ended_by = 'person'"],
  [
    "signals that ended automatically before their review period was over",
    `update commission_signals set ended_at = raised_at, ended_by = 'time' where ${ofHand}`,
  ],
  [
    "signals that ended automatically before their review period was over",
    raised("'self_referral', 'hold', '{}', partner_id, created_at, created_at + 2, created_at + 1, 'time'"),
  ],
  ...[
    `update commission_signals set ended_at = raised_at, ended_by = 'move' where ${ofHand}`,
    raised("'self_referral', 'hold', '{}', partner_id, created_at, null, created_at + 1, 'move'"),
  ].map((by): Case => ["signals ended by a change of partner, of sales whose partner didn't change", by]),
  ...[
    `delete from notes where id in (select note_id from commission_signals where ${ofHand})`,
    "delete from audit_entries where :own and action = 'commission.held'",
    `delete from commission_signals where ${ofHand}`,
    `update commission_signals set note_id = null where ${ofHand}`,
    `update commission_signals set raised_at = raised_at - 1 where ${ofHand}`,
  ].map((by): Case => [byHand, by]),
  ...[
    `update audit_entries set after = json_set(after, '$.amountCents', 1) where :own and action = 'commission.held'`,
    `update audit_entries set after = json_set(after, '$.status', 'approved') where :own and action = 'commission.held'`,
    `update audit_entries set after = json_set(after, '$.status', 'void') where :own and action = 'commission.released'`,
  ].map((by): Case => ["audit entries of reviews that change an amount, or have an impossible state", by]),
  [
    "partners with an address but no digest of it, or a digest but no address",
    "update partners set email = 'p@example.com' where id = :bob",
  ],
];
