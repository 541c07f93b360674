import { api, take } from "../../api/client.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import type { Sorting } from "../../components/sorting.tsx";
import { moneyLabels } from "../../outcome-labels.ts";
import { periodQuery } from "../../period.ts";
import { type Filters, useFilters } from "../../url.ts";
import { useRange } from "../../use-range.ts";
import { salesPerClick } from "../overview/metrics.ts";

export const sorts = [
  ["revenue", "Revenue"],
  ["commission", "Commission"],
  ["unpaid", moneyLabels.payable],
  ["sales", "Sales"],
  ["conversion", salesPerClick],
  ["clicks", "Clicks"],
  ["name", "Name"],
] as const;
export type Sort = (typeof sorts)[number][0];

/** The sorting in the filters. Values that the service doesn't know are ignored. */
export function partnerSorting({ sort, order }: Filters): Sorting<Sort> {
  const sorted = sorts.find(([known]) => known === sort)?.[0] ?? "revenue";
  const usual = sorted === "name" ? "asc" : "desc";
  return { sort: sorted, order: order === "asc" || order === "desc" ? order : usual };
}

/** The query of the list of partners. Values that the service doesn't know are ignored. */
export function usePartnerQuery() {
  const [filters] = useFilters();
  const { days } = useRange(filters);
  const { currency, q, page = "" } = filters;
  return {
    ...periodQuery(days),
    ...partnerSorting(filters),
    page: /^[1-9]\d{0,2}$/.test(page) ? page : "1",
    ...(currency && { currency }),
    ...(q && { search: q }),
  };
}

export function usePartners(query: ReturnType<typeof usePartnerQuery>) {
  return useProgramQuery("partners", query, (call, init) =>
    take(api.tracking.performance[":programId"].partners.$get(call, init)),
  );
}
export type PartnerPage = NonNullable<ReturnType<typeof usePartners>["data"]>;
export type PartnerTotals = PartnerPage["meta"]["totals"];
export type ListedPartner = PartnerPage["data"][number];
