import type { LineChange } from "../../api/types.ts";
import type { PayoutWithLines } from "./queries.ts";

const sum = (amounts: readonly { readonly amountCents: number }[]): number =>
  amounts.reduce((total, { amountCents }) => total + amountCents, 0);

const changedLines = ({ lines }: PayoutWithLines) => lines.filter(({ detailsChangedAt }) => detailsChangedAt !== null);

/** Partners of a draft whose email address or payment details were changed recently. */
export const countChanged = (draft: PayoutWithLines): number => changedLines(draft).length;

/** The latest change of details that the draft shows. */
export const changedUntil = (draft: PayoutWithLines): string | undefined =>
  changedLines(draft)
    .flatMap(({ detailsChangedAt }) => detailsChangedAt ?? [])
    .toSorted()
    .at(-1);

/** The total that the user has seen: of the draft with or without partners whose details were changed recently. */
export const expectedTotal = (draft: PayoutWithLines, includesChanged: boolean): number =>
  includesChanged ? draft.totalCents : draft.totalCents - sum(changedLines(draft));

/** Total of the draft with these changes, which no longer depend on what the user includes. */
export const changedTotal = ({ totalCents }: PayoutWithLines, changes: readonly LineChange[]): number =>
  changes.reduce((total, { beforeCents, afterCents }) => total + afterCents - beforeCents, totalCents);

/** Without the payments that failed. */
export const paidTotal = ({ lines }: PayoutWithLines): number => sum(lines.filter(({ failedAt }) => failedAt === null));
