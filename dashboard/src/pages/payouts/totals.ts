import type { LineChange } from "../../api/types.ts";
import type { PayoutWithLines } from "./queries.ts";

const sum = (amounts: readonly { readonly amountCents: number }[]): number =>
  amounts.reduce((total, { amountCents }) => total + amountCents, 0);

const changedLines = ({ lines }: PayoutWithLines) => lines.filter(({ detailsChangedAt }) => detailsChangedAt !== null);

/** Number of a draft's partners whose email address or payment details were changed recently. */
export const countChanged = (draft: PayoutWithLines): number => changedLines(draft).length;

/** Time of the latest change of payment details that the draft shows. */
export const changedUntil = (draft: PayoutWithLines): string | undefined =>
  changedLines(draft)
    .flatMap(({ detailsChangedAt }) => detailsChangedAt ?? [])
    .toSorted()
    .at(-1);

/** The total that the user has seen: with or without partners whose details were changed recently. */
export const expectedTotal = (draft: PayoutWithLines, includesChanged: boolean): number =>
  includesChanged ? draft.totalCents : draft.totalCents - sum(changedLines(draft));

/**
 * The draft's total after these changes, whether or not the user includes partners whose details were changed recently.
 */
export const changedTotal = ({ totalCents }: PayoutWithLines, changes: readonly LineChange[]): number =>
  changes.reduce((total, { beforeCents, afterCents }) => total + afterCents - beforeCents, totalCents);

/** The total of a payout without the payments that failed. */
export const paidTotal = ({ lines }: PayoutWithLines): number => sum(lines.filter(({ failedAt }) => failedAt === null));
