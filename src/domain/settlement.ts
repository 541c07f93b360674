import type { PayoutLineId } from "./ids.ts";
import type { LineState, PayoutApproval, PayoutStatus, Settler } from "./payout-status.ts";

/** The states of a line in a payout that is settled by API. */
export const settlementStates = ["waiting", "due", "settled", "given_back"] as const;
export type SettlementState = (typeof settlementStates)[number];

interface Payout {
  readonly status: PayoutStatus;
  readonly settledBy: Settler;
  readonly confirmedAt: number | null;
}

interface Line {
  readonly state: LineState;
  readonly settledAt: number | null;
}

export const isOpen = ({ state, settledAt }: Line): boolean => state === "live" && settledAt === null;

/**
 * The state that a caller may require of a line that it marks as failed. A line that a member has paid counts as
 * settled.
 */
export const expectedStates = ["open", "settled"] as const;
export type ExpectedState = (typeof expectedStates)[number];

/**
 * Returns the reason why lines of the payout can't be settled yet. `restored` is set if no member has acknowledged that
 * the database was restored from a backup. A line of a payout that is final in the backup may have been settled after
 * the backup was made.
 */
export function whyWaiting(
  { status, confirmedAt }: Pick<Payout, "status" | "confirmedAt">,
  approval: PayoutApproval,
  restored: object | undefined,
): "restored" | "not_due" | undefined {
  if (status === "final" && restored !== undefined) return "restored";
  return approval === "two_people" && confirmedAt === null ? "not_due" : undefined;
}

export function settlementState(line: Line, isWaiting: boolean): SettlementState {
  if (line.state === "failed") return "given_back";
  if (line.settledAt !== null) return "settled";
  return isWaiting ? "waiting" : "due";
}

/** Sums of lines in a payout that is settled by API. They never decrease. */
export interface SettledSums {
  /** Lines whose settlement was reported while they were open, including those that failed later. */
  readonly settledCents: number;
  /** Lines that were given back (their amounts are payable again) without being settled. */
  readonly givenBackCents: number;
  /** Lines that failed after they were settled. */
  readonly returnedCents: number;
}

interface Sums extends SettledSums {
  readonly status: PayoutStatus;
  readonly settledBy: Settler;
  readonly totalCents: number;
}

export const openCents = ({ totalCents, settledCents, givenBackCents }: Omit<Sums, "status" | "settledBy">): number =>
  totalCents - settledCents - givenBackCents;

/** The status of a final payout after a line was settled or given back. */
export function statusAfter(payout: Omit<Sums, "status" | "settledBy">): "final" | "paid" | "canceled" {
  if (openCents(payout) > 0) return "final";
  return payout.settledCents > 0 ? "paid" : "canceled";
}

export interface ShownSums {
  readonly settledCents: number;
  readonly givenBackCents: number;
  readonly dueCents: number;
}

/** Splits the payout's total by the state of its lines. If a person pays the payout, all lines are settled at once. */
export function shownSums({ status, settledBy, totalCents, ...sums }: Sums): ShownSums {
  const { returnedCents } = sums;
  const isByApi = settledBy === "api";
  const settled = isByApi ? sums.settledCents : status === "paid" ? totalCents : 0;
  const dueCents = status === "canceled" || status === "paid" ? 0 : totalCents - settled - sums.givenBackCents;
  const settledCents = settled - returnedCents;
  return { settledCents, givenBackCents: totalCents - settledCents - dueCents, dueCents };
}

/**
 * The prefix of references that are reserved for adjustments of late settlements: those reported after the line was
 * given back.
 */
export const lateReference = "settled:";

/**
 * The reference of the adjustment that deducts a settlement which was reported after the line was given back. Earlier
 * versions let members use these references, so it can be taken.
 */
export const referenceOfLate = (lineId: PayoutLineId, isTaken = false): string =>
  `${lateReference}${lineId}${isTaken ? ":late" : ""}`;
