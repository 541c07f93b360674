import type { Context } from "./operation.ts";

/** Increases in commit order, because a payout includes the details that were replaced up to an instant. */
export const laterThan = (before: number | null | undefined, context: Context): number =>
  Math.max(context.postingAt(), (before ?? 0) + 1);
