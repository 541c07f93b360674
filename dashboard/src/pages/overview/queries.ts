import { api, take } from "../../api/client.ts";
import { useQuery } from "../../api/use-query.ts";
import { useProgram } from "../../session.tsx";
import type { Filters } from "../../url.ts";
import { periodQuery } from "./period.ts";

export function usePerformance({ partnerId, currency, ...range }: Filters) {
  const { program } = useProgram();
  const query = { ...periodQuery(range), ...(partnerId && { partnerId }), ...(currency && { currency }) };
  return useQuery(
    `program ${program.id} performance ${JSON.stringify(query)}`,
    (signal) =>
      take(
        api.tracking.performance[":programId"].$get(
          { param: { programId: String(program.id) }, query },
          { init: { signal } },
        ),
      ),
    { pollSeconds: 60 },
  );
}

export type Performance = NonNullable<ReturnType<typeof usePerformance>["data"]>;
export type Day = Performance["data"][number];
export type Metrics = Performance["metrics"];

/** Undefined while loading. */
export function useIsVerified(): boolean | undefined {
  const { program } = useProgram();
  const readiness = useQuery(`program ${program.id} readiness`, (signal) =>
    take(api.tracking.readiness[":programId"].$get({ param: { programId: String(program.id) } }, { init: { signal } })),
  );
  return readiness.data?.integration_verified;
}
