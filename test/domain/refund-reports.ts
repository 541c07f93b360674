import { expect } from "vitest";
import { type Commission, minute, now, RefundBook, type RefundReport } from "./refund-history.ts";

export const pending: Commission = {
  status: "pending",
  initialCents: 205,
  amountCents: 205,
  holdUntil: now + 10_000 * minute,
  unconfirmed: false,
  held: false,
  approvedBy: null,
  isOneTimeUsed: false,
};

export const soldAs = (changes: Partial<Commission> = {}): RefundBook =>
  new RefundBook(1000, { ...pending, ...changes });
export const at = (seconds: number): number => now + seconds * 1000;
export const part = (refundId: string | undefined, cents: number): RefundReport => ({
  refundId,
  asked: "amount",
  cents,
});
export const rest = (refundId?: string): RefundReport => ({ refundId, asked: "rest" });

export const running = (refundId: string | undefined, cents: number, occurredAt?: number): RefundReport => ({
  ...{ refundId, asked: "total", cents, occurredAt },
});

export const cancel = (refundId: string): RefundReport => ({ refundId, asked: "cancel" });

export const cancelTo = (refundId: string, cents: number, occurredAt?: number): RefundReport => ({
  ...{ refundId, asked: "cancel_total", cents, occurredAt },
});

export const of = (chargeTotalCents: number, report: RefundReport): RefundReport => ({ ...report, chargeTotalCents });
export const skipped = (reason: string, isRecorded = false) => ({ kind: "skipped", reason, isRecorded });

/** Returns the refunded total after each call. Throws if a call is refused. */
export const totals = (reports: readonly RefundReport[], book = soldAs()): readonly number[] =>
  reports.map((report) => {
    expect(book.report(report).kind).toMatch(/^(refund|skipped|duplicate)$/);
    return book.refundedCents;
  });
