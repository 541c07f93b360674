import type { NearbySale, ReviewCode } from "./risk.ts";

/** The stored reason, with its evidence. */
export interface Review {
  readonly code: ReviewCode;
  readonly evidence: Partial<Pick<NearbySale, "occurredAt"> & { readonly host: string }>;
  /** The sale in the evidence, by the id that the caller sent. */
  readonly transactionId: string | null;
  /** The reason of a manual hold. Null if it was erased, and for signals. */
  readonly reason: string | null;
}

export interface ReviewReason {
  readonly code: ReviewCode;
  readonly text: string;
}

/** The reason as a sentence for members of the program. `soldAt` is the instant of the sale (ms). */
export function reviewReason({ code, evidence, transactionId, reason }: Review, soldAt: number): ReviewReason {
  switch (code) {
    case "by_hand":
      return { code, text: reason ?? "A member put it on hold." };
    case "self_referral":
      return { code, text: "The customer has the email address of the partner, or of one of the partner's accounts." };
    case "many_sources":
      return {
        code,
        text: "More than three email addresses are known for the customer, so several people may share the key.",
      };
    case "self_referral_similar":
      return {
        code,
        text: "The customer's email address is similar to that of the partner, or of one of the partner's accounts.",
      };
    case "duplicate_source": {
      const { occurredAt = soldAt } = evidence;
      const when = distanceText(occurredAt - soldAt);
      return { code, text: `Sale ${transactionId} of the same customer, for the same amount, was made ${when}.` };
    }
    case "blocked_source":
      return { code, text: `The click came from ${evidence.host ?? "a host"}, which the program blocks.` };
  }
}

function distanceText(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  if (minutes === 0) return "in the same minute";
  return `${minutes === 1 ? "a minute" : `${minutes} minutes`} ${ms < 0 ? "earlier" : "later"}`;
}
