/** The clock may be this far behind (ms). Synchronized clocks differ by less. */
export const maxBehindMs = 5 * 60_000;
export const maxAheadMs = 24 * 3_600_000;

/** Times from sources that a wrong clock doesn't affect (ms). Undefined or null if unknown. */
export interface OtherTimes {
  readonly newestCommitAt?: number | null | undefined;
  readonly newestPostingAt?: number | null | undefined;
  readonly databaseAt?: number | undefined;
}

/** The reason why nothing may be written while the clock shows `now` (ms). Undefined if the clock may be right. */
export function clockFault(
  now: number,
  { newestCommitAt, newestPostingAt, databaseAt }: OtherTimes,
): string | undefined {
  const newest = Math.max(newestCommitAt ?? now, newestPostingAt ?? now);
  if (now < newest - maxBehindMs) return `the clock shows ${iso(now)}, and the newest commit is of ${iso(newest)}`;
  if (databaseAt !== undefined && now > databaseAt + maxAheadMs) {
    return `the clock shows ${iso(now)}, and the database's ${iso(databaseAt)}`;
  }
  return undefined;
}

const iso = (at: number): string => new Date(at).toISOString();
