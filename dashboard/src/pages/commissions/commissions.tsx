import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Button } from "../../components/button.tsx";
import { Pagination } from "../../components/pagination.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { TableSkeleton } from "../../components/table.tsx";
import { statusLabels } from "../../outcome-labels.ts";
import { useProgram } from "../../session.tsx";
import { addressWith, type Filters, useFilters } from "../../url.ts";
import { CommissionFilters } from "./commission-filters.tsx";
import { CommissionPanel } from "./commission-panel.tsx";
import { CommissionTable } from "./commission-table.tsx";
import { mayReject } from "./decide.ts";
import { DecisionBar } from "./decision-bar.tsx";
import { useDecisions } from "./decisions.tsx";
import { ExportMenu } from "./export-menu.tsx";
import { Outcomes } from "./outcomes.tsx";
import { statusOf, type Total, useCommissions, useTotals } from "./queries.ts";
import { FilterTotal, StatusTabs } from "./status-tabs.tsx";

export default function Commissions(): JSX.Element {
  const { may } = useProgram();
  const [filters, setFilters] = useFilters();
  const commissions = useCommissions(filters);
  const totals = useTotals(filters).data;
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<number>>(new Set());
  const { decide, approve, reject, dialog } = useDecisions(() => setSelectedIds(new Set()));
  const rows = commissions.data?.data ?? [];
  const selected = rows.filter((row) => selectedIds.has(row.id) && mayReject(row));

  return (
    <>
      <header class="page-head spread">
        <h1>Commissions</h1>
        <ExportMenu />
      </header>
      <StatusTabs totals={totals?.filter((total) => isIn(total, filters))} />
      <CommissionFilters totals={totals} />
      <Outcomes decide={decide} />
      <Loaded query={commissions} skeleton={<TableSkeleton rows={10} />}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <NoCommissions />
          ) : (
            <>
              <CommissionTable
                commissions={data}
                isStale={commissions.isLoading}
                selectedIds={may("admin") ? selectedIds : undefined}
                onSelect={setSelectedIds}
                refusals={new Map(decide.result?.outcomes.map(({ commission, refusal }) => [commission.id, refusal]))}
              />
              {totals && <FilterTotal status={statusOf(filters)} totals={totals.filter(isShown(filters))} />}
              <Pagination nextCursor={meta.nextCursor} first="First page" next="Next page" />
            </>
          )
        }
      </Loaded>
      {selected.length > 0 && (
        <DecisionBar
          selected={selected}
          isPending={decide.isPending}
          onApprove={() => approve(selected)}
          onReject={() => reject(selected)}
          onAll={
            selected.length < rows.filter(mayReject).length
              ? () => setSelectedIds(new Set(rows.filter(mayReject).map(({ id }) => id)))
              : undefined
          }
          onClear={() => setSelectedIds(new Set())}
        />
      )}
      {dialog}
      {filters.commission !== undefined && (
        <CommissionPanel
          key={filters.commission}
          id={filters.commission}
          onClose={() => setFilters({ commission: undefined, cursor: filters.cursor })}
        />
      )}
    </>
  );
}

const isIn = ({ currency }: Total, filters: Filters): boolean => !filters.currency || currency === filters.currency;

const isShown =
  (filters: Filters) =>
  (total: Total): boolean =>
    isIn(total, filters) &&
    total.status === statusOf(filters) &&
    (total.status !== "void" || !filters.reason || total.reason === filters.reason);

function NoCommissions(): JSX.Element {
  const { path, route } = useLocation();
  const [filters] = useFilters();
  const { status, sort: _, order: __, commission: ___, ...narrowing } = filters;
  const label = statusLabels[statusOf(filters)].toLowerCase();
  if (Object.values(narrowing).some(Boolean)) {
    const clear = () => route(addressWith(path, { status }));
    return (
      <Empty title="No commissions found" action={<Button onClick={clear}>Clear filters</Button>}>
        No commissions match these filters.
      </Empty>
    );
  }
  if (statusOf(filters) === "void") return <Empty title="No sales without commission">Every sale earned one.</Empty>;
  return (
    <Empty title={`No ${label} commissions`}>
      Each sale that a partner brings in creates a commission, with an explanation of its amount.
    </Empty>
  );
}
