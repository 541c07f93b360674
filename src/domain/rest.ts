const longestRestMs = 1_000;

/**
 * The time to pause after a step of background work (ms), so that calls can use the database. The pause is
 * `restsPerStep` times as long as the step took, but at most a second. With the default of 3, short steps use the
 * database for a quarter of the time.
 */
export const restAfter = (tookMs: number, restsPerStep = 3): number => Math.min(longestRestMs, tookMs * restsPerStep);
