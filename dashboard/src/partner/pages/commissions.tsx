import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { Filters } from "../../components/filters.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Pagination } from "../../components/pagination.tsx";
import { DayParam, SelectParam } from "../../components/param-filters.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { TableSkeleton } from "../../components/table.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { useFilters } from "../../url.ts";
import { usePartner } from "../access.tsx";
import { partnerApi } from "../client.ts";
import { commissionQuery, useCommissions } from "./commissions/queries.ts";
import { SubFilter } from "./commissions/sub-filter.tsx";
import { CommissionTable } from "./commissions/table.tsx";
import { statuses } from "./commissions/words.ts";

const Claims = lazy(() => import("./claims/claims.tsx"), <TableSkeleton rows={4} />);
const ReportSale = lazy(() => import("./claims/report-sale.tsx"), null);

export default function Commissions(): JSX.Element {
  const { param, view, mayWrite, address } = usePartner();
  const [filters] = useFilters();
  const [isReporting, setIsReporting] = useState(false);
  const isOfClaims = filters.tab === "missing";
  return (
    <>
      <header class="page-head spread">
        <h1>Commissions</h1>
        <div class="row">
          {mayWrite && <Button onClick={() => setIsReporting(true)}>Report a missing sale…</Button>}
          {!isOfClaims && (
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
          )}
        </div>
      </header>
      <Tabs
        label="Commissions"
        tabs={[
          { href: address("commissions"), title: "Commissions", isCurrent: !isOfClaims },
          { href: address("commissions", { tab: "missing" }), title: "Missing sales", isCurrent: isOfClaims },
        ]}
      />
      {isOfClaims ? <Claims /> : <OwnCommissions />}
      {isReporting && <ReportSale onClose={() => setIsReporting(false)} />}
    </>
  );
}

function OwnCommissions(): JSX.Element {
  const [filters, setFilters] = useFilters();
  const commissions = useCommissions(filters);
  const { status, sub, from, to } = filters;
  const isFiltered = [status, sub, from, to].some(Boolean);
  const clear = () => setFilters({ status: undefined, sub: undefined, from: undefined, to: undefined });
  return (
    <>
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
