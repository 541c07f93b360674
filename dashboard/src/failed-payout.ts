import { formatDayOf, ownTimezone } from "./format-time.ts";

interface FailedPayout {
  readonly failedAt: string;
  /** Null if the payment was never made. */
  readonly statementNumber: number | null;
}

/** What happened to a payout that failed, in the words of its partner. */
export const failedPayoutText = ({ failedAt, statementNumber }: FailedPayout): string =>
  `${statementNumber === null ? "Not paid" : "Returned"} on ${formatDayOf(failedAt, ownTimezone())}. The amount went back to your balance.`;
