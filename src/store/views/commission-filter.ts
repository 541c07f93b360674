import type { ShownStatus } from "#domain/commission-status.ts";
import type { CommissionId, PartnerId, PayoutId, SaleId } from "#domain/ids.ts";
import type { Days } from "#domain/performance.ts";
import type { RaisedCode } from "#domain/risk.ts";
import type { Narrowing } from "../reports/narrowing.ts";
import type { CommissionView } from "./commissions.ts";

/** `partner` only within a payout. */
export const commissionSorts = ["created", "date", "amount", "partner"] as const;
export type CommissionSort = (typeof commissionSorts)[number];
export const commissionOrders = ["desc", "asc"] as const;
export type CommissionOrder = (typeof commissionOrders)[number];

export interface CommissionFilter {
  /** Absent: all except `void`. */
  readonly status: ShownStatus | undefined;
  readonly partnerId: PartnerId | undefined;
  /** The payout that has reserved or paid them. */
  readonly payoutId?: PayoutId | undefined;
  readonly currency: string | undefined;
  readonly reason: string | undefined;
  readonly sub?: string | undefined;
  readonly isUnconfirmed?: boolean | undefined;
  readonly isHeld?: boolean | undefined;
  /** With this signal, any, or none. */
  readonly flag?: RaisedCode | "any" | "none" | undefined;
  /** Days of the sales. */
  readonly days: Days | undefined;
  readonly narrowing: Narrowing;
}

/** The last row of a page: its amount for `amount`, the sale's instant for `date`, the partner's id for `partner`. */
export interface CommissionPosition {
  readonly currency: string;
  readonly value: number;
  /** For `date`, the sale's. */
  readonly id: CommissionId | SaleId;
}

export function positionOf(sort: CommissionSort, row: CommissionView): CommissionPosition {
  const { currency, amountCents, soldAt, saleId, partnerId, id } = row;
  if (sort === "amount") return { currency, value: amountCents, id };
  if (sort === "partner") return { currency: "", value: partnerId ?? 0, id };
  return sort === "date" ? { currency: "", value: soldAt, id: saleId } : { currency: "", value: 0, id };
}
