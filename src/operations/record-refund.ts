import type { Call, PresentedKey } from "./operation.ts";

export interface RefundCall extends Call {
  readonly kind: "refund";
  readonly isTest: boolean;
  readonly key: PresentedKey;
  readonly transactionId: string;
  /** Smallest unit of the sale's currency. Absent, with `totalCents` absent too: all that is left. */
  readonly amountCents: number | undefined;
  /** The running total instead of an amount. */
  readonly totalCents: number | undefined;
  readonly refundId: string | undefined;
  readonly reason: string | undefined;
  /** When it happened, in milliseconds; never after `at`. */
  readonly occurredAt: number;
}

export type RefundStatus = "refunded" | "reversed" | "no_commission" | "skipped";

export interface RefundAnswer {
  readonly programId: number;
  /** Integer id of the refund's record; undefined where a refund was skipped and none was ever recorded. */
  readonly eventId: number | undefined;
  readonly saleId: number;
  readonly commissionId: number;
  readonly status: RefundStatus;
  readonly skipped: "duplicate refund_id" | "already reversed" | "already refunded" | undefined;
  /** The caller's `refund_id`. */
  readonly refundId: string | undefined;
  readonly refundedCents: number;
  readonly refundedTotalCents: number;
  readonly commissionReversedCents: number;
  readonly commissionAmountCents: number;
}
