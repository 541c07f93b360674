import type { ExplainQuery } from "../explain-address.ts";
import { api, take } from "./client.ts";
import { useProgramQuery } from "./use-program-query.ts";

export const useExplanation = (query: ExplainQuery & { readonly cursor?: string }) =>
  useProgramQuery("explain", query, (call, init) => take(api.tracking.explain[":programId"].$get(call, init)));
