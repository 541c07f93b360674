import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { Filters } from "../../components/filters.tsx";
import { Pagination } from "../../components/pagination.tsx";
import { DayParam, SelectParam } from "../../components/param-filters.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { TableSkeleton } from "../../components/table.tsx";
import { useFilters } from "../../url.ts";
import { usePartner } from "../access.tsx";
import { partnerApi } from "../client.ts";
import { commissionQuery, useCommissions } from "./commissions/queries.ts";
import { SubFilter } from "./commissions/sub-filter.tsx";
import { CommissionTable } from "./commissions/table.tsx";
import { statuses } from "./commissions/words.ts";

export default function Commissions(): JSX.Element {
  const { param, view } = usePartner();
  const [filters, setFilters] = useFilters();
  const commissions = useCommissions(filters);
  const { status, sub, from, to } = filters;
  const isFiltered = [status, sub, from, to].some(Boolean);
  const clear = () => setFilters({ status: undefined, sub: undefined, from: undefined, to: undefined });
  return (
    <>
      <header class="page-head spread">
        <h1>Commissions</h1>
        <ExportButton
          title="CSV"
          label="Download commissions as CSV"
          call={() =>
            partnerApi.programs[":programId"].partners[":partnerId"].commissions.$get({
              param,
              query: { ...commissionQuery({ ...filters, cursor: undefined }), ...view, format: "csv" },
            })
          }
        />
      </header>
      <Filters isPaired>
        <SelectParam name="status" label="Status" options={[["", "All statuses"], ...statuses]} />
        <SubFilter value={sub ?? ""} onChoose={(chosen) => setFilters({ sub: chosen })} />
        <DayParam name="from" label="From" />
        <DayParam name="to" label="To" />
        {isFiltered && (
          <Button look="quiet" onClick={clear}>
            Clear filters
          </Button>
        )}
      </Filters>
      <Loaded query={commissions} skeleton={<TableSkeleton rows={8} />}>
        {({ data, meta }) => (
          <div class="stack">
            {data.length > 0 ? (
              <CommissionTable commissions={data} isStale={commissions.isBusy} />
            ) : (
              <Empty title={isFiltered ? "No commissions match these filters" : "No commissions yet"}>
                {isFiltered
                  ? "Choose other days, another status or another sub-ID."
                  : "A commission appears here when someone buys after a click on your link."}
              </Empty>
            )}
            <Pagination nextCursor={meta.nextCursor} />
          </div>
        )}
      </Loaded>
    </>
  );
}
