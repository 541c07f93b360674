import type { Case } from "./audit-cases.ts";

const ofPolicy = "policies with a unit that their program doesn't have";
const ofAmount = "amounts in a unit that their program doesn't have";
const inMoney = "sales, refunds and policies whose currency is a unit";

export const unitCases: readonly Case[] = [
  [ofPolicy, `update commission_policies set unit = '{"code":"POINTS","digits":0}' where :own`],
  ...["commissions", "ledger_entries", "partner_balances", "daily_counts"].map(
    (table): Case => [ofAmount, `update ${table} set currency = 'POINTS' where :own`],
  ),
  ...["sales", "refunds", "commission_policies"].map(
    (table): Case => [inMoney, `update ${table} set currency = 'MONTHS' where :own`],
  ),
  [
    "commissions whose partner, currency or book differs from their sale's",
    "update commissions set currency = 'POINTS' where :own",
  ],
  [
    "units that differ from the audit trail",
    "insert into units select distinct program_id, 'POINTS', 0, 'point', 'points', 1 from partners where :own",
  ],
];
