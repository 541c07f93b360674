import { dayMs } from "./calendar.ts";
import type { LineState, SkipReason } from "./payout-status.ts";

const emailQuietMs = 7 * dayMs;

export const canceledHasNoFile = { code: "state_conflict", message: "A canceled payout has no file" } as const;

/** A partner who may get a line, with the entries that no live line has taken. */
export interface Candidate {
  readonly partnerId: number;
  readonly isPaused: boolean;
  /** The partner's email address was last replaced then (ms). */
  readonly emailChangedAt: number | null;
  /** The partner's last payment that didn't fail was finalized then, with the address of that time (ms). */
  readonly paidEmailAt: number | null;
  readonly payableCents: number;
  /** Sum of the absolute amounts. Above 2^53, `payableCents` isn't exact. */
  readonly grossCents: number;
  readonly hasLine: boolean;
}

export interface LineTerms {
  readonly minimumCents: number;
  /** Of the lines before this one. */
  readonly totalCents: number;
  /** Undefined: all partners. */
  readonly partnerIds: ReadonlySet<number> | undefined;
  /** Milliseconds. Email addresses changed after it aren't paid to by a final payout. */
  readonly includesChangedUntil: number;
  /** A draft shows lines whose email address was changed; a final payout leaves them out. */
  readonly isFinal: boolean;
  readonly at: number;
}

export type Proposal =
  | { readonly state: "proposed"; readonly reason: null }
  | { readonly state: "skipped"; readonly reason: SkipReason };

const skipped = (reason: SkipReason): Proposal => ({ state: "skipped", reason });

/** Undefined for a partner without a line: one who wasn't named, or has nothing to be paid. */
export function proposeLine(candidate: Candidate, terms: LineTerms): Proposal | undefined {
  const { partnerId, payableCents, grossCents, hasLine, isPaused } = candidate;
  const isNamed = terms.partnerIds?.has(partnerId) ?? false;
  if (terms.partnerIds !== undefined && !isNamed) return undefined;
  if (!Number.isSafeInteger(grossCents)) return skipped("over_limit");
  if (payableCents === 0 && !hasLine) return undefined;
  const reason = whyLeftOut(payableCents, terms);
  if (reason !== undefined && reason !== "over_limit") return skipped(reason);
  if (isPaused && !isNamed) return skipped("paused");
  const isIncluded = (candidate.emailChangedAt ?? 0) <= terms.includesChangedUntil;
  const isHeldBack = terms.isFinal && !isIncluded && isEmailChanged(candidate, terms.at);
  if (isHeldBack) return skipped("email_changed");
  return reason === undefined ? { state: "proposed", reason: null } : skipped(reason);
}

/** To what the database can be sent. A line beyond is left out, so its amount is only shown. */
export const clamped = (cents: number): number =>
  Math.max(-Number.MAX_SAFE_INTEGER, Math.min(cents, Number.MAX_SAFE_INTEGER));

/** The minimum is at least 1, so a line is always positive. The total stays an exact number. */
export function whyLeftOut(
  amountCents: number,
  { minimumCents, totalCents }: Pick<LineTerms, "minimumCents" | "totalCents">,
): SkipReason | undefined {
  if (amountCents < 0) return "negative";
  if (amountCents < minimumCents) return "below_minimum";
  return amountCents > Number.MAX_SAFE_INTEGER - totalCents ? "over_limit" : undefined;
}

/** Replaced within 7 days, or since the address to which the partner was last paid was taken. */
export const isEmailChanged = (
  { emailChangedAt, paidEmailAt }: Pick<Candidate, "emailChangedAt" | "paidEmailAt">,
  at: number,
): boolean =>
  emailChangedAt !== null &&
  (at - emailChangedAt < emailQuietMs || (paidEmailAt !== null && emailChangedAt >= paidEmailAt));

export type ChangeReason = SkipReason | "added" | "amount_changed";

export interface LineChange {
  readonly partnerId: number;
  readonly beforeCents: number;
  readonly afterCents: number;
  readonly reason: ChangeReason;
}

interface ComputedLine {
  readonly partnerId: number;
  readonly state: LineState;
  readonly reason: SkipReason | null;
  /** Null: the line was computed once. */
  readonly beforeCents: number | null;
  readonly amountCents: number;
}

const isLeftOut = ({ state }: Pick<ComputedLine, "state">): boolean => state === "skipped" || state === "dropped";

/** The difference between a draft's line and the line that was computed when the draft was finalized. */
export function lineChange(line: ComputedLine): LineChange | undefined {
  const { partnerId, beforeCents, reason } = line;
  const afterCents = isLeftOut(line) ? 0 : line.amountCents;
  if (beforeCents === null || beforeCents === afterCents) return undefined;
  return { partnerId, beforeCents, afterCents, reason: reason ?? (beforeCents === 0 ? "added" : "amount_changed") };
}

/** A freed commission is as it would be if no line had ever taken it. */
export const statusOnceFreed = (isSaleRefunded: boolean): "reversed" | "approved" =>
  isSaleRefunded ? "reversed" : "approved";

export interface Takeable {
  readonly lineId: number;
  /** Entries that it adds to its line. */
  readonly entries: number;
}

/**
 * Returns the rows that one commit takes, from the first on: at most `maxRows` with `maxEntries` entries, but always one.
 * Expects one row more than the limit if there are more. Lines below `completeBelow` have no other rows.
 */
export function takeStep<Row extends Takeable>(
  rows: readonly Row[],
  { maxRows, maxEntries }: { readonly maxRows: number; readonly maxEntries: number },
): { readonly taken: readonly Row[]; readonly completeBelow: number } {
  let entries = 0;
  const limited = rows.slice(0, maxRows);
  const end = limited.findIndex((row, i) => {
    entries += row.entries;
    return i > 0 && entries > maxEntries;
  });
  const taken = end === -1 ? limited : limited.slice(0, end);
  const next = rows[taken.length];
  return { taken, completeBelow: next?.lineId ?? Number.POSITIVE_INFINITY };
}
