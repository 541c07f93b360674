import { formatDayOf, ownTimezone } from "./format-time.ts";

interface FailedPayout {
  readonly failedAt: string;
  /** Null if the payment was never made. */
  readonly statementNumber: number | null;
}

/** Tells a partner what happened to a payout that failed. */
export const failedPayoutText = ({ failedAt, statementNumber }: FailedPayout): string =>
  `${statementNumber === null ? "Not paid" : "Returned"} on ${formatDayOf(failedAt, ownTimezone())}. The amount went back to your balance.`;
