import { readFromDatabase } from "#api/read-database.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { ok } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { cutPage } from "#http/schema/cursor.ts";
import { instantOrNull, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { type CouponsOfPartner, listPartnerCoupons } from "#store/views/coupons.ts";

export const ownCoupon = record("OwnCoupon", {
  codes: z.array(z.string()).describe("A sale that comes with any of them counts."),
  status: z.enum(activeStatuses).describe("Sales with the codes of a `paused` coupon aren't credited to you by it."),
  validFrom: instantOrNull("Null: without a beginning."),
  validUntil: instantOrNull("Null: without an end."),
});

/** Newest first. `next`: a code, since ids are counted over all programs. */
export async function readOwnCoupons(c: Ctx, asked: CouponsOfPartner, size: number) {
  const found = await readFromDatabase(c, "program", (database) =>
    listPartnerCoupons(database, { ...asked, limit: size + 1 }),
  );
  if (!found.ok) return found;
  const { page, last } = cutPage(found.value, size);
  return ok({ page, next: last?.codes[0] });
}
