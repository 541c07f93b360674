import * as fields from "../../../http/schema/form-fields.ts";
import { parseTimestamp } from "../../../http/schema/timestamp.ts";

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
      "are skipped.",
  );

export const restoreAcknowledged = fields
  .optional(fields.instant("restoreAcknowledged"))
  .describe(
    "Needed for a program's first payout after its database was restored from a backup: `details.restoredAt` of the " +
      "refusal. Send it once the payouts since the backup are entered again.",
  );

/** Milliseconds. */
export const acknowledgedRestore = (body: { readonly restoreAcknowledged?: string | undefined }): number | undefined =>
  body.restoreAcknowledged === undefined ? undefined : parseTimestamp(body.restoreAcknowledged);

interface Included {
  readonly includeChanged?: boolean | undefined;
  readonly changedUntil?: string | undefined;
}

/** An address that nobody has looked at may be a thief's. */
export const saysWhichChanged = fields.rule(
  ["changedUntil"],
  "changedUntil is required with includeChanged",
  ({ includeChanged, changedUntil }: Included) => !includeChanged || changedUntil !== undefined,
);

/** Milliseconds. 0: none. */
export const includedUntil = ({ includeChanged, changedUntil }: Included, callAt: number): number =>
  includeChanged ? Math.min(fields.instantOf(changedUntil, callAt) ?? 0, callAt) : 0;
