import { hourMs } from "#domain/calendar.ts";

const minuteMs = 60_000;
const pauses = [5_000, 5 * minuteMs, 30 * minuteMs, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs)];
const spread = 0.2;
const maxAskedMs = 24 * hourMs;

export interface FailedAttempt {
  /** Number of attempts, including this one. */
  readonly attempts: number;
  /** When the attempt ended (ms). */
  readonly at: number;
  /** The wait that the receiver requested (ms). */
  readonly retryAfterMs: number | undefined;
}

/** Returns when to try again (ms). Undefined after the last attempt. `random` is from 0 to 1. */
export function nextAttemptAt({ attempts, at, retryAfterMs = 0 }: FailedAttempt, random: number): number | undefined {
  const pause = pauses[attempts - 1];
  if (pause === undefined) return undefined;
  const spreadOut = pause * (1 - spread + 2 * spread * random);
  return at + Math.round(Math.max(spreadOut, Math.min(retryAfterMs, maxAskedMs)));
}
