import type { ShownStatus } from "#domain/commission-status.ts";
import type { CommissionId, PartnerId, PayoutId, SaleId } from "#domain/ids.ts";
import type { Days } from "#domain/performance.ts";
import type { RaisedCode } from "#domain/risk.ts";
import type { Narrowing } from "../reports/narrowing.ts";
import type { CommissionView } from "./commissions.ts";

/** `partner` is allowed only with a payout filter. */
export const commissionSorts = ["created", "date", "amount", "partner"] as const;
export type CommissionSort = (typeof commissionSorts)[number];
export const commissionOrders = ["desc", "asc"] as const;
export type CommissionOrder = (typeof commissionOrders)[number];

export interface CommissionFilter {
  /** If absent, commissions of all statuses except `void`. */
  readonly status: ShownStatus | undefined;
  readonly partnerId: PartnerId | undefined;
  /** If set, only commissions that a line of this payout has reserved or paid. */
  readonly payoutId?: PayoutId | undefined;
  /**
   * If true, only approved commissions in a payout that isn't paid. If false, only approved commissions in no payout.
   * Needs the partner and the currency.
   */
  readonly isInPayout?: boolean | undefined;
  readonly currency: string | undefined;
  readonly reason: string | undefined;
  readonly sub?: string | undefined;
  /** If set, only commissions that a refund has fully reversed, including those that are in a payout. */
  readonly isReversed?: boolean | undefined;
  readonly isUnconfirmed?: boolean | undefined;
  /** If true, only commissions that are held. If false, only commissions that aren't. */
  readonly isHeld?: boolean | undefined;
  /** If set, only commissions with this signal, with any signal (`any`), or without signals (`none`). */
  readonly flag?: RaisedCode | "any" | "none" | undefined;
  /** Limits the days of the sales. */
  readonly days: Days | undefined;
  readonly narrowing: Narrowing;
}

/**
 * The last row of a page. `value` depends on the order: the amount for `amount`, the sale's instant for `date`, the
 * partner's id for `partner`.
 */
export interface CommissionPosition {
  readonly currency: string;
  readonly value: number;
  /** The sale's id for `date`, otherwise the commission's. */
  readonly id: CommissionId | SaleId;
}

export function positionOf(sort: CommissionSort, row: CommissionView): CommissionPosition {
  const { currency, amountCents, soldAt, saleId, partnerId, id } = row;
  if (sort === "amount") return { currency, value: amountCents, id };
  if (sort === "partner") return { currency: "", value: partnerId ?? 0, id };
  return sort === "date" ? { currency: "", value: soldAt, id: saleId } : { currency: "", value: 0, id };
}
