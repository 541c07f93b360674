import { dayIn } from "../../../../src/domain/calendar.ts";
import type { Days } from "../../../../src/domain/performance.ts";
import { api, take } from "../../api/client.ts";
import { useQuery } from "../../api/use-query.ts";
import { rememberLive } from "../../live-programs.ts";
import { useProgram } from "../../session.tsx";
import type { Filters } from "../../url.ts";
import { comparisonOf, daysToCompare, type Range, rangeOf } from "./period.ts";

const pollSeconds = 60;

/** The period and what it is compared with, in the program's days. */
export function useRange(filters: Filters): Range & { readonly before: Days | undefined } {
  const { program } = useProgram();
  const range = rangeOf(filters, dayIn(program.timezone, Date.now()));
  return { ...range, before: daysToCompare(range, comparisonOf(filters)) };
}

const periodOf = (days: Days | undefined) =>
  days === undefined ? { period: "all" as const } : { dateFrom: days.from, dateTo: days.to };

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
      { param: { programId: String(programId) }, query: { ...query, ...periodOf(days) } },
      { init: { signal } },
    ),
  );

/** `queryKey` identifies the request that the data belongs to. */
export function usePerformance(filters: Filters, { days }: Range) {
  const { program } = useProgram();
  const query = narrowingOf(filters);
  const queryKey = `program ${program.id} performance ${JSON.stringify([query, days])}`;
  const performance = useQuery(
    queryKey,
    async (signal) => ({ ...(await readPerformance(program.id, query, days, signal)), queryKey }),
    { pollSeconds },
  );
  return { ...performance, isStale: performance.data !== undefined && performance.data.queryKey !== queryKey };
}

/** The period that the other is compared with, unless there is none. */
export function useBefore(filters: Filters, before: Days | undefined) {
  const { program } = useProgram();
  const query = narrowingOf(filters);
  const queryKey = `program ${program.id} performance before ${JSON.stringify([query, before ?? null])}`;
  const { data } = useQuery(
    queryKey,
    async (signal) => ({
      queryKey,
      figures: before === undefined ? undefined : await readPerformance(program.id, query, before, signal),
    }),
    { pollSeconds },
  );
  // The figures of other days are no comparison.
  return data?.queryKey === queryKey ? data.figures : undefined;
}

export function useTopPartners({ currency }: Filters, { days }: Range) {
  const { program } = useProgram();
  const query = { ...periodOf(days), ...(currency && { currency }), sort: "revenue" as const };
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
  const query = { ...periodOf(days), ...(partnerId && { partnerId }) };
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
