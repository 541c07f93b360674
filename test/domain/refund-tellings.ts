import { expect } from "vitest";
import { type Commission, minute, now, RefundBook, type Telling } from "./refund-history.ts";

export const pending: Commission = {
  status: "pending",
  initialCents: 205,
  amountCents: 205,
  holdUntil: now + 10_000 * minute,
  unconfirmed: false,
  approvedBy: null,
  isOneTimeUsed: false,
};

export const soldAs = (changes: Partial<Commission> = {}): RefundBook =>
  new RefundBook(1000, { ...pending, ...changes });
export const at = (seconds: number): number => now + seconds * 1000;
export const part = (refundId: string | undefined, cents: number): Telling => ({ refundId, asked: "amount", cents });
export const rest = (refundId?: string): Telling => ({ refundId, asked: "rest" });

export const running = (refundId: string | undefined, cents: number, toldAt?: number): Telling => ({
  ...{ refundId, asked: "total", cents, toldAt },
});

export const cancel = (refundId: string): Telling => ({ refundId, asked: "cancel" });

export const cancelTo = (refundId: string, cents: number, toldAt?: number): Telling => ({
  ...{ refundId, asked: "cancel_total", cents, toldAt },
});

export const of = (chargeTotalCents: number, telling: Telling): Telling => ({ ...telling, chargeTotalCents });
export const skipped = (reason: string, isRecorded = false) => ({ kind: "skipped", reason, isRecorded });

/** The refunded total after each call. No call may be refused. */
export const totals = (tellings: readonly Telling[], book = soldAs()): readonly number[] =>
  tellings.map((telling) => {
    expect(book.tell(telling).kind).toMatch(/^(refund|skipped|duplicate)$/);
    return book.refundedCents;
  });
