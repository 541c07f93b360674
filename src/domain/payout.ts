import { dayMs } from "./calendar.ts";
import type { PartnerId } from "./ids.ts";
import { maxSum } from "./money.ts";
import type { PaymentVersionId } from "./payment-details.ts";
import type { LineState, SkipReason } from "./payout-status.ts";

const quietMs = 7 * dayMs;

const maxLines = 10_000;

/** The default minimum of a payout's lines in a currency. A payout can set another minimum. */
export const minimumPayout = (
  program: { readonly currency: string; readonly minimumPayoutCents: number | null },
  currency: string,
): number => (program.currency === currency ? program.minimumPayoutCents : null) ?? 1;

/** A partner who may be paid. */
export interface Candidate {
  readonly partnerId: PartnerId;
  readonly isPaused: boolean;
  /** When the partner's email address or payment details were last replaced (ms). */
  readonly detailsChangedAt: number | null;
  /** When the partner's last successful payment was finalized (ms). It used the details of that time. */
  readonly lastPaidAt: number | null;
  /**
   * The payment details. Null if the partner has none. The partner is then paid by email address, unless the program
   * requires details.
   */
  readonly paymentId: PaymentVersionId | null;
  readonly needsDetails: boolean;
  /** The amount of the line, from `lineCents`. */
  readonly amountCents: bigint;
  /** True if the payout already has a line of the partner. That line is computed again. */
  readonly hasLine: boolean;
}

interface Payable {
  readonly payableCents: bigint;
  /**
   * The sum of approved commissions and positive adjustments that became payable after the cutoff, and that no live
   * line pays.
   */
  readonly laterCents: bigint;
}

/**
 * The payable amount without what became payable after the cutoff. Debts, write-offs and returned payments count
 * regardless of the cutoff, so that no commission is paid without its reversal.
 */
export const lineCents = ({ payableCents, laterCents }: Payable): bigint => payableCents - laterCents;

export interface LineTerms {
  readonly minimumCents: number;
  /** Undefined for all partners. */
  readonly partnerIds: ReadonlySet<number> | undefined;
  /** True if the lines are settled by API, which doesn't need the partners' payment details. */
  readonly isByApi: boolean;
  /** An instant (ms). A final payout skips partners whose details were replaced recently and after this instant. */
  readonly includesChangedUntil: number;
  /** True for a final payout. A draft also has lines for partners whose details were replaced. */
  readonly isFinal: boolean;
  readonly at: number;
}

export interface ProposedLine<C extends Candidate> {
  readonly candidate: C;
  /** Null if the line is paid. */
  readonly reason: SkipReason | null;
}

/**
 * The lines of a payout in the order of its candidates. Partners who weren't selected have none. Those with nothing
 * payable have none either, unless the draft has a line of theirs. If there are more lines than the limit, or the total
 * would be inexact, the smallest lines are skipped.
 */
export function proposeLines<C extends Candidate>(
  candidates: readonly C[],
  terms: LineTerms,
  most = maxLines,
): readonly ProposedLine<C>[] {
  const lines = candidates
    .filter((candidate) => mayHaveLine(candidate, terms))
    .map((candidate) => ({ candidate, reason: whyLeftOut(candidate, terms) }));
  const byAmount = lines
    .filter(({ reason }) => reason === null)
    .toSorted(({ candidate: a }, { candidate: b }) =>
      a.amountCents === b.amountCents ? a.partnerId - b.partnerId : a.amountCents > b.amountCents ? -1 : 1,
    );
  const paid = new Set<C>();
  let totalCents = 0n;
  for (const { candidate } of byAmount) {
    const withLine = totalCents + candidate.amountCents;
    if (paid.size === most || withLine > maxSum) continue;
    paid.add(candidate);
    totalCents = withLine;
  }
  return lines.map(({ candidate, reason }) => ({
    candidate,
    reason: reason === null && !paid.has(candidate) ? "over_limit" : reason,
  }));
}

const isNamed = ({ partnerId }: Candidate, { partnerIds }: LineTerms): boolean => partnerIds?.has(partnerId) ?? false;

const mayHaveLine = (candidate: Candidate, terms: LineTerms): boolean =>
  (terms.partnerIds === undefined || isNamed(candidate, terms)) && (candidate.amountCents !== 0n || candidate.hasLine);

/** The minimum is at least 1, so a paid line is always positive. */
function whyLeftOut(candidate: Candidate, terms: LineTerms): SkipReason | null {
  const { amountCents, detailsChangedAt, paymentId, needsDetails } = candidate;
  if (amountCents < 0n) return "negative";
  if (amountCents < terms.minimumCents) return "below_minimum";
  if (candidate.isPaused && !isNamed(candidate, terms)) return "paused";
  if (terms.isByApi) return null;
  if (needsDetails && paymentId === null) return "no_details";
  const isIncluded = (detailsChangedAt ?? 0) <= terms.includesChangedUntil;
  return terms.isFinal && !isIncluded && isDetailsChanged(candidate, terms.at) ? "details_changed" : null;
}

/** True if the details were replaced in the last 7 days, or since the partner's last payment was finalized. */
export const isDetailsChanged = (
  { detailsChangedAt, lastPaidAt }: Pick<Candidate, "detailsChangedAt" | "lastPaidAt">,
  at: number,
): boolean =>
  detailsChangedAt !== null &&
  (at - detailsChangedAt < quietMs || (lastPaidAt !== null && detailsChangedAt >= lastPaidAt));

export type ChangeReason = SkipReason | "added" | "amount_changed";

export interface LineChange {
  readonly partnerId: PartnerId;
  readonly partnerCode: string;
  readonly name: string;
  readonly beforeCents: number;
  readonly afterCents: number;
  readonly reason: ChangeReason;
}

interface ComputedLine extends Pick<LineChange, "partnerId" | "partnerCode" | "name"> {
  readonly state: LineState;
  readonly reason: SkipReason | null;
  /** The amount in the draft, 0 if the draft didn't have the line. Null until the payout is finalized. */
  readonly beforeCents: number | null;
  readonly amountCents: number;
}

/** The difference between the line of the finalized payout and that of the draft. Undefined if there is none. */
export function lineChange(line: ComputedLine): LineChange | undefined {
  const { partnerId, partnerCode, name, beforeCents } = line;
  const afterCents = line.state === "skipped" ? 0 : line.amountCents;
  if (beforeCents === null || beforeCents === afterCents) return undefined;
  const reason = line.reason ?? (beforeCents === 0 ? "added" : "amount_changed");
  return { partnerId, partnerCode, name, beforeCents, afterCents, reason };
}
