import type { Context } from "./operation.ts";

/**
 * Returns an instant (ms) after `before`. Instants must rise in commit order, because a payout reads which payment
 * details were replaced up to an instant.
 */
export const laterThan = (before: number | null | undefined, context: Context): number =>
  Math.max(context.postingAt(), (before ?? 0) + 1);
