const restsPerStep = 3;
const longestRestMs = 1_000;

/** How long to wait after a step of work that no call waits for: it takes a quarter of the time at most. */
export const restAfter = (tookMs: number): number => Math.min(longestRestMs, tookMs * restsPerStep);
