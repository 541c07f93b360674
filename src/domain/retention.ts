import { dateUtc, dayMs } from "./calendar.ts";
import { maxWindowDays } from "./program-terms.ts";

/** A click may still decide at the end of the longest window, and its event may be reported late. */
export const minClickRetentionDays = maxWindowDays + 30;

/** Undefined: not a whole number of days, or too few. */
export function parseClickRetention(text: string): number | undefined {
  const days = Number(text);
  return /^\d{1,5}$/.test(text) && days >= minClickRetentionDays ? days : undefined;
}

export const clickRetentionRule = `it is a number of days, ${minClickRetentionDays} or more: the longest window and 30`;

/** Days for which landings with an unknown code are shown. */
export const unknownCodesKeptDays = 30;
const declinedKeptDays = 180;
/** So that a link reports for a while that it has expired. */
const invitationsKeptDays = 30;

/** Data older than these instants is deleted (ms). */
export type Retained = ReturnType<typeof retainedAt>;

export const retainedAt = (at: number, clickDays = minClickRetentionDays) => ({
  /** Clicks end by whole UTC days. */
  clicksSince: at - (at % dayMs) - clickDays * dayMs,
  /** Clicks that are recorded with an earlier instant stay for a day as well. */
  recordedSince: at - dayMs,
  eventIdsSince: at - dayMs,
  linksSince: at - dayMs,
  declinedSince: at - declinedKeptDays * dayMs,
  invitationsSince: at - invitationsKeptDays * dayMs,
  unknownCodesSince: dateUtc(at - unknownCodesKeptDays * dayMs),
});
