import type { Case } from "./audit-cases.ts";

/**
 * Damage to stored explanations: of a sale with two clicks, of a sale whose click was too old, of a sale that moved to
 * another partner, and of a lead.
 */
export const explanationCases: readonly Case[] = [
  ...[
    "json_remove(explanation, '$.candidates')",
    "json_set(explanation, '$.candidates', json_object())",
    "json_set(explanation, '$.candidates[0].outcome', 'older')",
    "json_set(explanation, '$.candidates[0].at', 1)",
    "json_set(explanation, '$.candidates[0].ageDays', 3)",
    "json_set(explanation, '$.candidates[0].partnerCode', 'other')",
    "json_remove(explanation, '$.candidates[0]')",
    "json_set(explanation, '$.candidates[1].outcome', 'newer')",
    "json_set(explanation, '$.candidates[1].outcome', 'chosen')",
    "json_set(explanation, '$.candidates[1].outcome', 'guessed')",
    "json_set(explanation, '$.candidates[1].outcome', 'invalid')",
    "json_set(explanation, '$.candidates[1].outcome', 'outside_window', '$.candidates[1].ageDays', 5, '$.candidates[1].windowDays', 60)",
    "json_set(explanation, '$.candidates[1].at', (explanation ->> '$.candidates[1].at') + 1)",
    "json_set(explanation, '$.candidates[1].clickId', substr(explanation ->> '$.candidates[1].clickId', 2))",
    "json_set(explanation, '$.candidates[#]', 1)",
    `json_set(explanation, '$.candidates', json('[' || (explanation -> '$.candidates[0]')
      || replace(hex(zeroblob(21)), '00', ',' || (explanation -> '$.candidates[1]')) || ']'))`,
  ].map(
    (to): Case => [
      "commissions whose explanation doesn't match the stored rows",
      `update commissions set explanation = ${to} where :own and json_array_length(explanation, '$.candidates') = 2`,
    ],
  ),
  ...[
    "json_remove(explanation, '$.candidates')",
    "json_set(explanation, '$.candidates[0].outcome', 'chosen')",
    "json_set(explanation, '$.candidates[0].outcome', 'older')",
    "json_set(explanation, '$.candidates[0].clickId', 'malformed', '$.candidates[0].outcome', 'invalid')",
  ].map(
    (to): Case => [
      "commissions whose explanation doesn't match the stored rows",
      `update commissions set explanation = ${to} where :own and reason = 'attribution_window_expired'`,
    ],
  ),
  ...[
    "json_set(explanation, '$.candidates[0].outcome', 'older')",
    "json_set(explanation, '$.candidates[1].outcome', 'newer')",
    "json_set(explanation, '$.candidates[2].outcome', 'newer')",
    "json_remove(explanation, '$.candidates[0]')",
  ].map(
    (to): Case => [
      "commissions whose explanation doesn't match the stored rows",
      `update commissions set explanation = ${to} where :own and reason = 'existing_customer'`,
    ],
  ),
  ...["windowUntil", "bound", "considered"].map(
    (field): Case => [
      "commissions whose explanation doesn't match the stored rows",
      `update commissions set explanation = json_remove(explanation, '$.${field}') where :own`,
    ],
  ),
  ...["amountCents', 1", "partnerCode', 'other'"].map(
    (to): Case => [
      "commissions whose explanation doesn't match the stored rows",
      `update commissions set explanation = json_set(explanation, '$.movedFrom.${to})
       where :own and explanation ->> '$.movedFrom' is not null`,
    ],
  ),
  ...[
    "commissions set explanation = json_set(explanation, '$.terms.windowDays', 1) where :own and partner_id is null",
    "commissions set explanation = json_remove(explanation, '$.terms') where :own and partner_id is null",
    "commissions set explanation = json_set(explanation, '$.windowDays', 1) where :own and partner_id is not null",
    "leads set explanation = json_set(explanation, '$.model', 'first_click') where :own",
    "leads set explanation = json_set(explanation, '$.windowUntil', 'first_sale') where :own",
  ].map((by): Case => ["sales and leads that were decided by terms that their program never had", `update ${by}`]),
  ...[
    "'{}'",
    "'{'",
    "json_remove(explanation, '$.candidates')",
    "json_set(explanation, '$.candidates[0].outcome', 'older')",
    "json_set(explanation, '$.candidates[0].partnerCode', 'other')",
    "json_set(explanation, '$.candidates[1].outcome', 'newer')",
    "json_set(explanation, '$.candidates[1].outcome', 'outside_window', '$.candidates[1].ageDays', 3)",
    "json_set(explanation, '$.reason', 'no_click')",
    "json_set(explanation, '$.decidedAt', 1)",
  ].map(
    (to): Case => [
      "leads whose explanation has another click, partner or reason",
      `update leads set explanation = ${to} where :own and json_array_length(explanation, '$.candidates') = 2`,
    ],
  ),
  ...['{"firstAttributedSaleAt":1}', '{"oneTimeCommissionId":-1,"isOneTimeTaken":1}'].map(
    (past): Case => [
      "commissions decided by earlier sales that their customer doesn't have",
      `update commissions set explanation = json_set(explanation, '$.past', json('${past}')) where :own and partner_id is not null`,
    ],
  ),
];
