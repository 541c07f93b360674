import { type Adjustment, type Commission, sumOf } from "./commission-model.ts";

/** A payout line of the model. */
export interface Line {
  readonly partner: number;
  state: "proposed" | "skipped" | "live" | "failed";
  /**
   * The ids of the line's settlements, if the payout is settled by API: of the regular one, and of one reported after
   * the line had failed.
   */
  settlement: string | undefined;
  lateSettlement: string | undefined;
  /** The line failed after it had been due, or may have been due before the database was restored. */
  wasDue: boolean;
  readonly cents: number;
  readonly commissions: readonly Commission[];
  readonly commissionsCents: number;
  /** Sum of the commissions at the time of the payment. */
  atPaymentCents: number | undefined;
  readonly adjustmentsCents: number;
  readonly bonuses: readonly Adjustment[];
}

/** How much the line's commissions have changed since they were paid. A returned payment has no commissions. */
export const changedLater = ({ state, commissions, atPaymentCents }: Line): number =>
  state === "live" && atPaymentCents !== undefined ? sumOf(commissions) - atPaymentCents : 0;

export const isOpen = ({ state, settlement }: Line): boolean => state === "live" && settlement === undefined;
