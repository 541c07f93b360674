import type { Case } from "./audit-cases.ts";

const rule = "sales whose renewal state doesn't match their subscription";
const of = (transaction: string) => `:own and transaction_id = '${transaction}'`;
const freeze = (transaction: string, renewal: string) =>
  `update commissions set explanation = json_set(explanation, '$.renewal', json('${renewal}'))
    where sale_id = (select id from sales where ${of(transaction)})`;

/**
 * Damage to the sales "paid", "renewed" and "paid long ago", reported in this order, and to the imported subscription
 * "continued".
 */
export const renewalCases: readonly Case[] = [
  `update sales set is_recurring = 0 where ${of("renewed")}`,
  `update sales set is_recurring = 1 where ${of("paid")}`,
  `update sales set subscription_id = 'other' where ${of("paid")}`,
  `update sales set occurred_at = occurred_at + 86400000 where ${of("paid")}`,
  `update sales set is_recurring = 0 where ${of("renewed")}; ${freeze("renewed", '{"saleId":null,"isImported":false}')}`,
  `update customers set imported_subscription_id = null where :own`,
  freeze("renewed", '{"saleId":null,"isImported":true}'),
].map((by): Case => [rule, by]);
