import { api, take } from "../../api/client.ts";
import { useQuery } from "../../api/use-query.ts";
import { useProgram } from "../../session.tsx";
import type { Filters } from "../../url.ts";

export const periods = [
  ["7d", "7 days"],
  ["30d", "30 days"],
  ["90d", "90 days"],
  ["all", "All time"],
] as const;

export const sorts = [
  ["revenue", "Revenue"],
  ["commission", "Commission"],
  ["unpaid", "Unpaid"],
  ["sales", "Sales"],
  ["conversion", "Conversion"],
  ["clicks", "Clicks"],
  ["name", "Name"],
] as const;
export type Sort = (typeof sorts)[number][0];

/** Ignores values that the service doesn't know. */
export function partnerQuery({ period, currency, sort, order, q, page }: Filters) {
  const sorted = sorts.find(([known]) => known === sort)?.[0] ?? "revenue";
  const usual = sorted === "name" ? "asc" : "desc";
  return {
    period: periods.find(([known]) => known === period)?.[0] ?? "30d",
    sort: sorted,
    order: order === "asc" || order === "desc" ? order : usual,
    page: /^[1-9]\d{0,2}$/.test(page ?? "") ? (page ?? "1") : "1",
    ...(currency && { currency }),
    ...(q && { search: q }),
  } as const;
}

export function usePartners(filters: Filters) {
  const { program } = useProgram();
  const query = partnerQuery(filters);
  return useQuery(`program ${program.id} partners ${JSON.stringify(query)}`, (signal) =>
    take(
      api.tracking.performance[":programId"].partners.$get(
        { param: { programId: String(program.id) }, query },
        { init: { signal } },
      ),
    ),
  );
}
export type PartnerPage = NonNullable<ReturnType<typeof usePartners>["data"]>;
export type PartnerTotals = PartnerPage["meta"]["totals"];
export type ListedPartner = PartnerPage["data"][number];

/** Keys that a change of a partner affects. */
export const partnerQueryKeys = (programId: number): readonly string[] =>
  ["partners", "audit"].map((name) => `program ${programId} ${name}`);

export function usePartnerPerformance(partnerId: string, { period, currency }: Filters) {
  const { program } = useProgram();
  const known = periods.find(([name]) => name === period)?.[0] ?? "30d";
  const query = { period: known, partnerId, ...(currency && { currency }) };
  return useQuery(`program ${program.id} performance ${JSON.stringify(query)}`, (signal) =>
    take(
      api.tracking.performance[":programId"].$get(
        { param: { programId: String(program.id) }, query },
        { init: { signal } },
      ),
    ),
  );
}
export type PartnerPerformance = NonNullable<ReturnType<typeof usePartnerPerformance>["data"]>;
