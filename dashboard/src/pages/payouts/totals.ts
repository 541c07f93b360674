import type { PayoutWithLines } from "./queries.ts";

const sum = (amounts: readonly { readonly amountCents: number }[]): number =>
  amounts.reduce((total, { amountCents }) => total + amountCents, 0);

const changedLines = ({ lines }: PayoutWithLines) => lines.filter(({ emailChangedAt }) => emailChangedAt !== null);
const skippedForEmail = ({ skipped }: PayoutWithLines) => skipped.filter(({ reason }) => reason === "email_changed");

/** Partners of a draft whose email address was changed recently, whether or not they have a line. */
export const countChanged = (draft: PayoutWithLines): number =>
  changedLines(draft).length + skippedForEmail(draft).length;

/** The latest change of an email address that the draft shows. */
export const changedUntil = ({ lines, skipped }: PayoutWithLines): string | undefined =>
  [...lines, ...skipped]
    .flatMap(({ emailChangedAt }) => emailChangedAt ?? [])
    .toSorted()
    .at(-1);

/** The total that the user has seen: of the draft with or without partners whose email address was changed recently. */
export const expectedTotal = (draft: PayoutWithLines, includesChanged: boolean): number =>
  includesChanged ? draft.totalCents + sum(skippedForEmail(draft)) : draft.totalCents - sum(changedLines(draft));

/** Without the payments that failed. */
export const paidTotal = ({ lines }: PayoutWithLines): number => sum(lines.filter(({ failedAt }) => failedAt === null));
