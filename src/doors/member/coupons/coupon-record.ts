import { activeStatuses } from "#domain/program-status.ts";
import { id } from "#http/schema/integers.ts";
import { instant, instantOrNull, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";

export const couponRecord = record("Coupon", {
  id: id(),
  codes: z.array(z.string()).describe("As they were given. They never change."),
  partnerId: id().describe("Never changes."),
  partnerCode: z.string().describe("The partner's first code."),
  partnerName: z.string(),
  status: z.enum(activeStatuses),
  validFrom: instantOrNull("Null: without a beginning."),
  validUntil: instantOrNull("Null: without an end."),
  createdAt: instant(),
});
