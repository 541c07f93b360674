import { ok } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { cutPage } from "#http/schema/cursor.ts";
import { int32, int64 } from "#http/schema/integers.ts";
import { instantOrNull, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { listPartnerPayouts, type PayoutsOfPartner } from "#store/views/partner-payouts.ts";
import { readFromDatabase } from "./read-database.ts";

export const ownPayout = record("OwnPayout", {
  reference: z.string(),
  status: z
    .enum(["final", "paid", "failed"])
    .describe(
      "`final`: being paid. `failed`: the payment was returned or wasn't made, and its amount became payable again.",
    ),
  amountCents: int64(),
  currency: z.string(),
  paidAt: instantOrNull("Time of the payment. Null unless it was paid."),
  failedAt: instantOrNull(
    "When the payment was returned or given up, and its amount became payable again. Null unless it failed.",
  ),
  statementNumber: int32().nullable().describe("Number of the payment's statement. Null unless the payment was sent."),
  partnerNote: z.string().nullable().describe("The program's note about a payment that failed."),
});

/**
 * Reads a page of a partner's payouts, newest first. `next` is a payout's reference, because partners see no other
 * unique value.
 */
export async function readOwnPayouts(c: Ctx, asked: PayoutsOfPartner, size: number) {
  const found = await readFromDatabase(c, "program", (database) =>
    listPartnerPayouts(database, { ...asked, limit: size + 1 }),
  );
  if (!found.ok) return found;
  const { page, last } = cutPage(found.value, size);
  return ok({ page, next: last?.reference });
}
