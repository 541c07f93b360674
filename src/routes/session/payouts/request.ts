import { ok } from "../../../http/endpoint.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import * as z from "../../../http/schema/zod.ts";
import { PayoutWithLines } from "./payout-reply.ts";

const Payout = z.object({ data: PayoutWithLines });

export const expectedTotalCents = fields
  .optional(fields.integer("expectedTotalCents", 0, Number.MAX_SAFE_INTEGER))
  .describe("Total that you have seen. Any other total is refused.");

export const includeChanged = fields
  .optional(fields.flag("includeChanged"))
  .describe("Also pays partners whose email address was replaced lately. Otherwise they are skipped.");

export const changedUntil = fields
  .optional(fields.instant("changedUntil"))
  .describe(
    "With `includeChanged`: the latest `emailChangedAt` that you have seen. Partners whose address was replaced after it " +
      "are skipped. Defaults to now.",
  );

/** Milliseconds. 0: none. */
export const includedUntil = (
  includes: { readonly includeChanged?: boolean | undefined; readonly changedUntil?: string | undefined },
  callAt: number,
): number =>
  includes.includeChanged ? Math.min(fields.instantOf(includes.changedUntil, callAt) ?? callAt, callAt) : 0;

/** A payout in progress is answered as it stands after 5 seconds. */
export const processed = (description: string) => ({
  ...ok(description, Payout),
  202: {
    description: "The payout as it stands: it is still in progress, and continues by itself",
    content: { "application/json": { schema: Payout } },
  },
});
