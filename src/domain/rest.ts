const longestRestMs = 1_000;

/**
 * How long to wait after a step of work, so that calls meanwhile find the database free. `restsPerStep`: by default, for work that no
 * call waits for, it takes a quarter of the time at most.
 */
export const restAfter = (tookMs: number, restsPerStep = 3): number => Math.min(longestRestMs, tookMs * restsPerStep);
