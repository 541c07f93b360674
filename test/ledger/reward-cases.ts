import type { Case } from "./audit-cases.ts";

const page = "referral pages without an audit entry, and audit entries without their page";
const counted =
  "programs whose sales are counted from another time than their first policy with tiers or their first bonus says";
const step = "steps that don't match the entries before them";

/** Damage to offers, the referral page, units, tiers and settled lines. */
export const rewardCases: readonly Case[] = [
  ["settings that differ from the audit trail", `update embeds set origins = '["https://evil.example"]'`],
  [page, "delete from embeds"],
  [
    "audit entries whose proposal isn't by a key of the program",
    "update audit_entries set actor_id = 'key 1' where via is not null",
  ],
  [
    page,
    "insert into embeds select id, 'x', '[]', '{}', 1, 1, 1, null from programs where id not in (select program_id from embeds)",
  ],
  [
    "audit entries whose previous value differs from the entry before",
    "update audit_entries set before = json_set(before, '$.label', 'x') where action = 'offer.set' and before is not null",
  ],
  [
    "offers that differ from the audit trail",
    "update offers set effective_from = effective_from + 5 where version = 2",
  ],
  [
    "coupon ids of offers that aren't those of the newest versions",
    "update offer_coupons set code_key = lower(code_key)",
  ],
  ["offers that are in force before an earlier version", "update offers set effective_from = 1 where version = 2"],
  [
    "coupons with a code that is an offer's coupon id",
    `update coupon_codes as c set code_key = (
       select o.code_key from offer_coupons o where o.program_id = c.program_id limit 1)`,
  ],
  ["rows of a program that doesn't exist", "update reconciliations set program_id = -7"],
  [
    "amounts in a unit that their program doesn't have",
    "update units set program_id = (select id from programs where id not in (select program_id from units))",
  ],
  ["partners without the step that their counts reach", "delete from tier_steps where metric = 'revenue'"],
  [counted, "update tier_books set count_from = 0"],
  [counted, "delete from tier_books where is_test"],
  [
    step,
    `insert into tier_steps select program_id, is_test, partner_id, policy_id, metric, currency, '2020', 0, 0, number + 1, at
     from tier_steps`,
  ],
  [step, "update tier_steps set count = count + 1 where metric = 'sales'"],
  [
    "settled lines that differ from the audit trail",
    `insert into audit_entries select -id, program_id, operation_id || ' again', actor_id, action, subject, before, after, created_at, via
     from audit_entries where action = 'payout.line_settled'`,
  ],
  [
    "late settlements without exactly their adjustment, and such adjustments without a late settlement",
    "update adjustments set partner_id = partner_id + 1 where reference like 'settled:%'",
  ],
  ["links whose creation differs from the audit trail", "delete from referral_links where code = 'later'"],
  [
    "commissions explained by a browser's report of a click that no browser reported",
    "update commissions set explanation = json_set(explanation, '$.evidence', 'browser') where explanation ->> '$.evidence' = 'key'",
  ],
];
