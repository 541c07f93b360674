const longestRestMs = 1_000;

/**
 * Pause after a step of work, so that calls find the database free. `restsPerStep`: by default, for work that no call
 * waits for, the work takes at most a quarter of the time.
 */
export const restAfter = (tookMs: number, restsPerStep = 3): number => Math.min(longestRestMs, tookMs * restsPerStep);
