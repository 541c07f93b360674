import type { Days } from "../../../../src/domain/performance.ts";
import { api, take } from "../../api/client.ts";
import { useQuery } from "../../api/use-query.ts";
import { rememberLive } from "../../live-programs.ts";
import { periodQuery, type Range } from "../../period.ts";
import { useProgram } from "../../session.tsx";
import type { Filters } from "../../url.ts";

const pollSeconds = 60;

const narrowingOf = ({ partnerId, currency }: Filters) => ({
  ...(partnerId && { partnerId }),
  ...(currency && { currency }),
});

const readPerformance = (
  programId: number,
  query: ReturnType<typeof narrowingOf>,
  days: Days | undefined,
  signal: AbortSignal,
) =>
  take(
    api.tracking.performance[":programId"].$get(
      { param: { programId: String(programId) }, query: { ...query, ...periodQuery(days) } },
      { init: { signal } },
    ),
  );

export function usePerformance(filters: Filters, { days }: Range) {
  const { program } = useProgram();
  const query = narrowingOf(filters);
  return useQuery(
    `program ${program.id} performance ${JSON.stringify([query, days])}`,
    (signal) => readPerformance(program.id, query, days, signal),
    { pollSeconds },
  );
}

/** The period that the other is compared with, unless there is none. */
export function useBefore(filters: Filters, before: Days | undefined) {
  const { program } = useProgram();
  const query = narrowingOf(filters);
  const { data, isStale } = useQuery(
    `program ${program.id} performance before ${JSON.stringify([query, before ?? null])}`,
    async (signal) => (before === undefined ? null : await readPerformance(program.id, query, before, signal)),
    { pollSeconds },
  );
  // The figures of other days are no comparison.
  return isStale ? undefined : (data ?? undefined);
}

export function useTopPartners({ currency }: Filters, { days }: Range) {
  const { program } = useProgram();
  const query = { ...periodQuery(days), ...(currency && { currency }), sort: "revenue" as const };
  return useQuery(
    `program ${program.id} performance of partners ${JSON.stringify(query)}`,
    (signal) =>
      take(
        api.tracking.performance[":programId"].partners.$get(
          { param: { programId: String(program.id) }, query },
          { init: { signal } },
        ),
      ),
    { pollSeconds },
  );
}

export function useOverview({ partnerId }: Filters, { days }: Range) {
  const { program } = useProgram();
  const query = { ...periodQuery(days), ...(partnerId && { partnerId }) };
  return useQuery(
    `program ${program.id} overview ${JSON.stringify(query)}`,
    async (signal) => {
      const param = { programId: String(program.id) };
      const overview = await take(api.tracking.overview[":programId"].$get({ param, query }, { init: { signal } }));
      rememberLive(program.id, overview.data.state === "live_verified");
      return overview;
    },
    { pollSeconds },
  );
}

export type Performance = NonNullable<ReturnType<typeof usePerformance>["data"]>;
export type Before = ReturnType<typeof useBefore>;
export type Day = Performance["data"][number];
export type Metrics = Performance["metrics"];
export type Overview = NonNullable<ReturnType<typeof useOverview>["data"]>;
export type TopPartner = NonNullable<ReturnType<typeof useTopPartners>["data"]>["data"][number];
