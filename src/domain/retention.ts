import { dateUtc, dayMs } from "./calendar.ts";
import { maxWindowDays } from "./program-terms.ts";

/** A click may still attribute a customer at the end of the longest window, and the event may be reported late. */
export const minClickRetentionDays = maxWindowDays + 30;

/** Undefined if the text isn't a whole number of days, or is below the minimum. */
export function parseClickRetention(text: string): number | undefined {
  const days = Number(text);
  return /^\d{1,5}$/.test(text) && days >= minClickRetentionDays ? days : undefined;
}

export const clickRetentionRule = `it is a number of days, ${minClickRetentionDays} or more: the longest window and 30`;

/** The number of days for which visits with an unknown code are shown. */
export const unknownCodesKeptDays = 30;
const declinedKeptDays = 180;
/** The texts of a decided claim are kept as long as the partner may want to read the decision. */
const claimTextsKeptDays = 90;
/** Expired invitations are kept, so that their links can say that they have expired. */
const invitationsKeptDays = 30;

/** Instants (ms) and days. Older data is deleted. */
export type Retained = ReturnType<typeof retainedAt>;

export const retainedAt = (at: number, clickDays = minClickRetentionDays) => ({
  /** Clicks are deleted by whole UTC days. */
  clicksSince: at - (at % dayMs) - clickDays * dayMs,
  /** Clicks are kept for at least a day, even if they were reported with an older instant. */
  recordedSince: at - dayMs,
  eventIdsSince: at - dayMs,
  linksSince: at - dayMs,
  declinedSince: at - declinedKeptDays * dayMs,
  claimsSince: at - claimTextsKeptDays * dayMs,
  invitationsSince: at - invitationsKeptDays * dayMs,
  unknownCodesSince: dateUtc(at - unknownCodesKeptDays * dayMs),
});
