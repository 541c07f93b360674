import type { Days } from "#domain/performance.ts";
import { api, take } from "../../api/client.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { rememberLive } from "../../live-programs.ts";
import { periodQuery, type Range } from "../../period.ts";
import { useProgram } from "../../session.tsx";
import type { Filters } from "../../url.ts";

const pollSeconds = 60;

const narrowingOf = ({ partnerId, currency }: Filters) => ({
  ...(partnerId && { partnerId }),
  ...(currency && { currency }),
});

const { performance, overview } = api.tracking;

export function usePerformance(filters: Filters, { days }: Range) {
  const query = { ...narrowingOf(filters), ...periodQuery(days) };
  return useProgramQuery("performance", query, (call, init) => take(performance[":programId"].$get(call, init)), {
    pollSeconds,
  });
}

/** The previous period to compare with, if there is one. */
export function useBefore(filters: Filters, before: Days | undefined) {
  const query = before === undefined ? null : { ...narrowingOf(filters), ...periodQuery(before) };
  const { data, isStale } = useProgramQuery(
    "performance before",
    query,
    async ({ param }, init) => query && (await take(performance[":programId"].$get({ param, query }, init))),
    { pollSeconds },
  );
  // Stale figures are those of the previous filters, so they aren't shown as a comparison.
  return isStale ? undefined : (data ?? undefined);
}

export function useTopPartners({ currency }: Filters, { days }: Range) {
  const query = { ...periodQuery(days), ...(currency && { currency }), sort: "revenue" as const };
  return useProgramQuery(
    "performance of partners",
    query,
    (call, init) => take(performance[":programId"].partners.$get(call, init)),
    { pollSeconds },
  );
}

export function useOverview({ partnerId }: Filters, { days }: Range) {
  const { program } = useProgram();
  const query = { ...periodQuery(days), ...(partnerId && { partnerId }) };
  return useProgramQuery(
    "overview",
    query,
    async (call, init) => {
      const found = await take(overview[":programId"].$get(call, init));
      rememberLive(program.id, found.data.state === "live_verified");
      return found;
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
