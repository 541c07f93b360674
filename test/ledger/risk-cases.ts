import type { Case } from "./audit-cases.ts";

const ofHand = `:own and code = 'by_hand'`;
const unended = "signals that a person ended without a decision in the audit trail";
const byHand = "holds by hand that the audit trail does not have, and the other way round";
const restsOn = "signals raised before their commission, or without what they rest on";
const ofOthers = "signals of another book or program than their commission, or of another partner";

/** Inserts a signal for each pending commission, or for each commission that matches `where`. */
const raised = (values: string, where = "status = 'pending'") =>
  `insert into commission_signals (commission_id, program_id, is_test, code, effect, evidence, partner_id, raised_at, review_until, ended_at, ended_by)
   select id, program_id, is_test, ${values} from commissions where :own and ${where}`;

export const riskCases: readonly Case[] = [
  ...[
    "update commissions set held_at = created_at where :own and status = 'void'",
    "update commissions set payable_number = -id where :own and held_at is not null",
  ].map((by): Case => ["held commissions that aren't open, or are payable", by]),
  ...[
    "update commissions set held_at = null where :own",
    "update commissions set held_at = held_at + 1 where :own",
    "update commissions set review_until = held_at where :own",
    "update commissions set held_at = created_at where :own and held_at is null and status = 'pending'",
    `update commission_signals set ended_at = raised_at, ended_by = 'person' where ${ofHand}`,
    raised("'duplicate_source', 'hold', '{}', null, created_at, null, null, null"),
  ].map((by): Case => ["commissions held otherwise than their signals say", by]),
  [
    "commissions that time approved while they were held",
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
    "signals that time ended before their review was over",
    `update commission_signals set ended_at = raised_at, ended_by = 'time' where ${ofHand}`,
  ],
  [
    "signals that time ended before their review was over",
    raised("'self_referral', 'hold', '{}', partner_id, created_at, created_at + 2, created_at + 1, 'time'"),
  ],
  ...[
    `update commission_signals set ended_at = raised_at, ended_by = 'move' where ${ofHand}`,
    raised("'self_referral', 'hold', '{}', partner_id, created_at, null, created_at + 1, 'move'"),
  ].map((by): Case => ["signals that a move ended, of sales that did not move", by]),
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
  ].map((by): Case => ["reviews in the audit trail that change an amount, or lead to another state than they can", by]),
  [
    "partners whose address has no digest, and the other way round",
    "update partners set email = 'p@example.com' where id = :bob",
  ],
];
