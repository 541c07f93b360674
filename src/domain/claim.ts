import { addDays } from "./calendar.ts";
import type { Days } from "./performance.ts";

/**
 * The statuses of a claim, in which a partner reports a sale that is missing from their commissions. `theirs`: a member
 * found the sale and attributed its customer to the partner.
 */
export const claimStatuses = ["open", "theirs", "declined"] as const;
export type ClaimStatus = (typeof claimStatuses)[number];

export const claimOutcomes = ["theirs", "declined"] as const satisfies readonly ClaimStatus[];
export type ClaimOutcome = (typeof claimOutcomes)[number];

export const maxReference = 100;
export const maxClaimNote = 500;

/** The most claims of a partner in a UTC day, in the portal and on the embedded page together. */
export const maxClaimsPerDay = 5;

export const maxClaimAgeDays = 400;

/** Sales are searched up to this many days before and after the reported day. */
export const claimDaysAround = 2;

export const daysAround = (day: string): Days => ({
  from: addDays(day, -claimDaysAround),
  to: addDays(day, claimDaysAround),
});

/** The days that a partner can report. */
export const claimableDays = (today: string): Days => ({ from: addDays(today, -maxClaimAgeDays), to: today });

/** A partner's report. Values that they left out are null. */
export interface ClaimedSale {
  /** The day of the purchase in the program's time zone ("YYYY-MM-DD"). */
  readonly day: string;
  readonly amountCents: number | null;
  /** Set if and only if `amountCents` is. */
  readonly currency: string | null;
  readonly reference: string | null;
  readonly note: string | null;
}
