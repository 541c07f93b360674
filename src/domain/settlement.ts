import type { PayoutLineId } from "./ids.ts";
import type { LineState, PayoutApproval, PayoutStatus, Settler } from "./payout-status.ts";

/** The states of a line that is settled by API. */
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
 * Why no line of the payout may be settled yet. `restored`: a restore from a backup isn't acknowledged, so a line may
 * have been settled since the backup.
 */
export function whyWaiting(
  { confirmedAt }: Pick<Payout, "confirmedAt">,
  approval: PayoutApproval,
  isRestored: boolean,
): "restored" | "not_due" | undefined {
  if (isRestored) return "restored";
  return approval === "two_people" && confirmedAt === null ? "not_due" : undefined;
}

export function settlementState(line: Line, isWaiting: boolean): SettlementState {
  if (line.state === "failed") return "given_back";
  if (line.settledAt !== null) return "settled";
  return isWaiting ? "waiting" : "due";
}

/** Sums of a payout that is settled by API. They never decrease. */
export interface SettledSums {
  /** Lines that were settled in time, including those that failed later. */
  readonly settledCents: number;
  /** Lines that were given back without a settlement. */
  readonly givenBackCents: number;
  /** Lines that were settled in time and failed later. */
  readonly returnedCents: number;
}

interface Sums extends SettledSums {
  readonly status: PayoutStatus;
  readonly settledBy: Settler;
  readonly totalCents: number;
}

export const openCents = ({ totalCents, settledCents, givenBackCents }: Omit<Sums, "status" | "settledBy">): number =>
  totalCents - settledCents - givenBackCents;

/** The status of a final payout after some of its lines were settled or given back. */
export function statusAfter(payout: Omit<Sums, "status" | "settledBy">): "final" | "paid" | "canceled" {
  if (openCents(payout) > 0) return "final";
  return payout.settledCents > 0 ? "paid" : "canceled";
}

export interface ShownSums {
  readonly settledCents: number;
  readonly givenBackCents: number;
  readonly dueCents: number;
}

/** Splits the total of a payout. If a person pays it, all lines are settled at once. */
export function shownSums({ status, settledBy, totalCents, ...sums }: Sums): ShownSums {
  const { returnedCents } = sums;
  const isByApi = settledBy === "api";
  const settled = isByApi ? sums.settledCents : status === "paid" ? totalCents : 0;
  const dueCents = status === "canceled" || status === "paid" ? 0 : totalCents - settled - sums.givenBackCents;
  const settledCents = settled - returnedCents;
  return { settledCents, givenBackCents: totalCents - settledCents - dueCents, dueCents };
}

/** The beginning of references that only late settlements have. */
const lateReference = "settled:";

/** The reference of the adjustment with which the late settlement of a line is deducted. */
export const referenceOfLate = (lineId: PayoutLineId): string => `${lateReference}${lineId}`;

export const isReservedReference = (reference: string): boolean => reference.startsWith(lateReference);
