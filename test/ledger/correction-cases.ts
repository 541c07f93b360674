import type { Case } from "./audit-cases.ts";

const unlike = "corrections that don't match the previous version of the sale, or the audit trail";

/** Damage to the seeded sale that was corrected twice and has a refund. */
export const correctionCases: readonly Case[] = [
  "update sales set sale_type = 'subscription' where correction = 2",
  "update sales set is_recurring = 1 where correction = 2",
  "update sales set product_id = 'other' where correction = 1",
  "update sales set line_items = '[]' where correction = 2",
  "update refunds set refund_id = 'other' where refund_id = 'kept' and id = (select max(id) from refunds where refund_id = 'kept')",
].map((by): Case => [unlike, by]);
