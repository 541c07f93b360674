import type { Commission } from "./queries.ts";

type Refundable = Pick<Commission, "status" | "corrected" | "amountCents" | "initialCents">;

/**
 * True if all of the commission was refunded after a payout had included it. The commission keeps the status that it
 * got from this payout, and the next payout deducts the amount.
 */
export const isRefundedInPayout = ({ status, corrected, amountCents, initialCents }: Refundable): boolean =>
  (status === "approved" || status === "paid") && !corrected && amountCents === 0 && initialCents > 0;
