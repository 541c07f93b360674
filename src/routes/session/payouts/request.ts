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

/** A payout in progress is answered as it stands after 5 seconds. */
export const processed = (description: string) => ({
  ...ok(description, Payout),
  202: {
    description: "The payout as it stands: it is still in progress, and continues by itself",
    content: { "application/json": { schema: Payout } },
  },
});
