import { requestOutcomes, trackingRoutes } from "#domain/request-log.ts";
import { api, take } from "../../../api/client.ts";
import { useProgramQuery } from "../../../api/use-program-query.ts";
import type { Filters } from "../../../url.ts";

const pollSeconds = 10;
const names = ["requestId", "transactionId", "customerKey", "from", "to"] as const;

/** The query of the calls. Values that the service doesn't know are ignored. */
export const requestQuery = ({ outcome, route, ...filters }: Filters) => ({
  ...Object.fromEntries(names.flatMap((name) => (filters[name] ? [[name, filters[name]]] : []))),
  ...(outcome && { outcome: requestOutcomes.find((each) => each === outcome) }),
  ...(route && { route: trackingRoutes.find((each) => each === route) }),
});

export function useRequests(filters: Filters) {
  const { cursor } = filters;
  return useProgramQuery(
    "requests",
    { ...requestQuery(filters), ...(cursor && { cursor }) },
    async (call, init) => take(api.programs[":programId"].requests.$get(call, init)),
    cursor === undefined ? { pollSeconds } : {},
  );
}
