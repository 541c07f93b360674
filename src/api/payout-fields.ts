import { settlers } from "#domain/payout-status.ts";
import { expectedStates } from "#domain/settlement.ts";
import * as fields from "#http/schema/form-fields.ts";
import { parseTimestamp } from "#http/schema/timestamp.ts";

// Fields of calls that finalize a payout, and of the first call that changes or downloads a payout after a restore from
// a backup.

const expectedTotalCents = fields
  .optional(fields.integer("expectedTotalCents", 0, Number.MAX_SAFE_INTEGER))
  .describe("Total that you have seen. The call is refused if the total has changed.");

const includeChanged = fields
  .optional(fields.flag("includeChanged"))
  .describe("True to pay partners whose details were replaced recently. Otherwise these partners are skipped.");

const changedUntil = fields
  .optional(fields.instant("changedUntil"))
  .describe(
    "With `includeChanged`: the latest `detailsChangedAt` that you have seen. Partners whose details were replaced after it " +
      "are skipped.",
  );

export const settledBy = (more: string) =>
  fields
    .optional(fields.oneOf("settledBy", settlers))
    .describe(
      `\`api\`: your own system settles each line with an API key that has the scope \`settle\`, so partners need no payment details. ${more}`,
    );

/** A field of the calls that mark a line as failed. */
export const expectedState = (name: string) =>
  fields
    .optional(fields.oneOf(name, expectedStates))
    .describe(
      "State in which you last saw the line. If the line's state has changed, the call is refused with 409 `differs`. To give a line back, send `open`: without it, a line that was settled in the meantime has its payment returned.",
    );

/** Required by the first change or download of a payout after a restore. */
export const restoreAcknowledged = fields
  .optional(fields.instant("restoreAcknowledged"))
  .describe(
    "Required after the database was restored from a backup. Send `details.restoredAt` of the refusal, once in each of two cases. First, for the program: to finalize a payout or confirm a draft, after you have re-entered the payouts made since the backup. Second, for each payout that was final in the backup: to confirm, cancel or download it, after you have checked whether it was paid. Until then, giving back a line of such a payout also requires it, for each line.",
  );

/** Converts `restoreAcknowledged` to milliseconds. */
export const acknowledgedAt = (restoreAcknowledged: string | null): number | null =>
  restoreAcknowledged === null ? null : (parseTimestamp(restoreAcknowledged) ?? null);

/** Fields of a call that finalizes a draft, directly or when it confirms the draft. */
export const finalizationFields = { expectedTotalCents, includeChanged, changedUntil, restoreAcknowledged };

interface Finalization {
  readonly expectedTotalCents: number | null;
  readonly includeChanged: boolean | null;
  readonly changedUntil: string | null;
  readonly restoreAcknowledged: string | null;
}

/**
 * Requires `changedUntil`, so that a payout uses only replaced payment details that the caller has reviewed. A thief
 * may have replaced the details.
 */
export const saysWhichChanged = fields.rule(
  ["changedUntil"],
  "changedUntil is required with includeChanged",
  ({ includeChanged, changedUntil }: Finalization) => !includeChanged || changedUntil != null,
);

/**
 * Converts the fields to the form that the operations take, with instants in milliseconds. `includesChangedUntil` is 0
 * to skip all partners with replaced details.
 */
export const finalizationOf = (
  { expectedTotalCents, includeChanged, changedUntil, restoreAcknowledged }: Finalization,
  callAt: number,
) => ({
  expectedTotalCents,
  includesChangedUntil: includeChanged ? Math.min(fields.instantOf(changedUntil, callAt) ?? 0, callAt) : 0,
  restoreAcknowledged: acknowledgedAt(restoreAcknowledged),
});
