import type { Tone } from "../../../components/badge.tsx";
import { formatDayOf, ownTimezone } from "../../../format-time.ts";
import type { Commission } from "./queries.ts";

/** The statuses in plain words, in the order of a commission's life. */
export const statuses = [
  ["pending", "On hold"],
  ["approved", "To be paid"],
  ["paid", "Paid"],
  ["reversed", "Refunded"],
  ["rejected", "Declined"],
] as const;

const tones: Readonly<Partial<Record<Commission["status"], Tone>>> = {
  pending: "accent",
  approved: "good",
  rejected: "bad",
};

const dayOf = (instant: string): string => formatDayOf(instant, ownTimezone());

interface Told {
  readonly title: string;
  readonly tone: Tone;
  /** The event that the commission waits for, or the reason why it ended. */
  readonly detail?: string | undefined;
}

/** The state of a commission in words. */
export function statusText(commission: Commission): Told {
  const { status, inPayout, underReview, underReviewSince, holdUntil, corrected, amountCents, changes } = commission;
  const title = inPayout ? "Being paid" : (statuses.find(([name]) => name === status)?.[1] ?? status);
  const tone = tones[status] ?? "plain";
  if (underReview) {
    const since = underReviewSince === null ? "" : ` since ${dayOf(underReviewSince)}`;
    return { title: "Under review", tone: "warn", detail: `The program has been checking this commission${since}.` };
  }
  // A refund doesn't change the status of a commission in a payout.
  const isRefunded = amountCents === 0 && changes.length > 1 && status !== "rejected";
  if (corrected || isRefunded)
    return {
      title: corrected ? "Corrected" : "Refunded",
      tone: "warn",
      detail: status === "paid" ? "after it was paid" : undefined,
    };
  if (status === "pending" && holdUntil !== null)
    return { title, tone, detail: `until ${dayOf(holdUntil)} at the earliest` };
  return { title, tone };
}

export const changeTexts: Readonly<Record<Commission["changes"][number]["kind"], string>> = {
  earned: "Earned",
  refunded: "Refund to the customer",
  refund_restored: "Refund canceled",
  corrected: "Sale corrected",
  rejected: "Declined by the program",
  moved: "Credited later",
};
