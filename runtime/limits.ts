/** Replaces Cloudflare's rate limit binding in one process, with fixed windows. */
export function createRateLimit({ limit, period }: RateLimitSettings, now: () => number = Date.now): RateLimit {
  const counts = new Map<string, number>();
  let window = 0;
  return {
    limit: async ({ key }) => {
      const current = Math.floor(now() / (period * 1_000));
      if (current !== window) {
        window = current;
        counts.clear();
      }
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return { success: count <= limit };
    },
  };
}

export interface RateLimitSettings {
  readonly limit: number;
  readonly period: number;
}
