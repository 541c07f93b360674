import * as fields from "#http/schema/form-fields.ts";
import { parseTimestamp } from "#http/schema/timestamp.ts";

const expectedTotalCents = fields
  .optional(fields.integer("expectedTotalCents", 0, Number.MAX_SAFE_INTEGER))
  .describe("Total that you have seen. Any other total is refused.");

const includeChanged = fields
  .optional(fields.flag("includeChanged"))
  .describe("Also pays partners whose details were replaced lately. Otherwise they are skipped.");

const changedUntil = fields
  .optional(fields.instant("changedUntil"))
  .describe(
    "With `includeChanged`: the latest `detailsChangedAt` that you have seen. Partners whose details were replaced after it " +
      "are skipped.",
  );

/** In the body or query of a payout's first change after a restore, or the query of its first file. */
export const restoreAcknowledged = fields
  .optional(fields.instant("restoreAcknowledged"))
  .describe(
    "Needed after the database was restored from a backup: once for each program, to finalize a payout or confirm a draft, once " +
      "the payouts since the backup are entered again; and once for each payout that was final in the backup, to confirm, cancel " +
      "or download it, once you know what became of it. `details.restoredAt` of the refusal.",
  );

/** As the operations take it, in milliseconds. */
export const acknowledgedAt = (restoreAcknowledged: string | null): number | null =>
  restoreAcknowledged === null ? null : (parseTimestamp(restoreAcknowledged) ?? null);

/** Of a draft that is finalized, by itself or by its confirmation. */
export const finalizationFields = { expectedTotalCents, includeChanged, changedUntil, restoreAcknowledged };

interface Finalization {
  readonly expectedTotalCents: number | null;
  readonly includeChanged: boolean | null;
  readonly changedUntil: string | null;
  readonly restoreAcknowledged: string | null;
}

/** An address that nobody has looked at may be a thief's. */
export const saysWhichChanged = fields.rule(
  ["changedUntil"],
  "changedUntil is required with includeChanged",
  ({ includeChanged, changedUntil }: Finalization) => !includeChanged || changedUntil != null,
);

/** As the operations take it, in milliseconds. No address was replaced until 0. */
export const finalizationOf = (
  { expectedTotalCents, includeChanged, changedUntil, restoreAcknowledged }: Finalization,
  callAt: number,
) => ({
  expectedTotalCents,
  includesChangedUntil: includeChanged ? Math.min(fields.instantOf(changedUntil, callAt) ?? 0, callAt) : 0,
  restoreAcknowledged: acknowledgedAt(restoreAcknowledged),
});
