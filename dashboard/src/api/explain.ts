import type { ExplainQuery } from "../explain-address.ts";
import { api, take } from "./client.ts";

export const readExplanation = (
  programId: number,
  query: ExplainQuery & { readonly cursor?: string },
  signal: AbortSignal,
) =>
  take(
    api.tracking.explain[":programId"].$get({ param: { programId: String(programId) }, query }, { init: { signal } }),
  );
