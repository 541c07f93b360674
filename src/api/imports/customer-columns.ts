import { dayMs } from "#domain/calendar.ts";
import type { ImportEffects } from "#domain/import.ts";
import { int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";

/** Limits how far `since` may be in the future, because a typo in the year would attribute a customer forever. */
export const maxAheadMs = 366 * dayMs;

export const Effects = z
  .object({
    sales: int64(),
    amounts: z.array(z.object({ currency: z.string(), cents: int64() })),
  })
  .describe("Number of the customer's earlier sales that become attributed to the partner, and their commission.")
  .openapi("CustomerEffects");

export const effectsReply = ({ sales, amounts }: ImportEffects): z.output<typeof Effects> => ({
  sales,
  amounts: [...amounts],
});
