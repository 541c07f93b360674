import "./commissions.css";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAllPartners } from "../../api/partners.ts";
import { ButtonLink } from "../../components/button.tsx";
import { Filters, PartnerFilter, SelectFilter } from "../../components/filters.tsx";
import { Pagination } from "../../components/pagination.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { TableSkeleton } from "../../components/table.tsx";
import { statusLabels } from "../../outcome-labels.ts";
import { useProgram } from "../../session.tsx";
import { useFilters } from "../../url.ts";
import { CommissionTable } from "./commission-table.tsx";
import { mayApprove, mayReject, useDecide } from "./decide.ts";
import { DecisionBar } from "./decision-bar.tsx";
import { Outcomes } from "./outcomes.tsx";
import { type Commission, csvAddress, statuses, useCommissions } from "./queries.ts";
import { RejectDialog } from "./reject-dialog.tsx";
import { Totals } from "./totals.tsx";

export default function Commissions(): JSX.Element {
  const { program, may } = useProgram();
  const [filters] = useFilters();
  const commissions = useCommissions(filters);
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<number>>(new Set());
  const [rejecting, setRejecting] = useState<readonly Commission[]>();
  const decide = useDecide(() => {
    setSelectedIds(new Set());
    setRejecting(undefined);
  });
  const { data: partners = [] } = useAllPartners();
  const rows = commissions.data?.data ?? [];
  const selected = rows.filter((row) => selectedIds.has(row.id) && mayReject(row));
  const approve = (some: readonly Commission[]) =>
    decide.run({ verb: "approve", commissions: some.filter(mayApprove) });

  return (
    <>
      <header class="page-head spread">
        <h1>Commissions</h1>
        <ButtonLink href={csvAddress(program.id, filters)}>Export as CSV</ButtonLink>
      </header>
      <CommissionFilters />
      <Outcomes decide={decide} />
      <Loaded query={commissions} skeleton={<TableSkeleton rows={10} />}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <Empty title="No commissions found">
              {filters.status || filters.partnerId || filters.cursor
                ? "No commissions match these filters."
                : "Each sale that a partner brings in creates a commission, with an explanation of its amount."}
            </Empty>
          ) : (
            <>
              <CommissionTable
                commissions={data}
                partners={partners}
                isStale={commissions.isLoading}
                selectedIds={may("admin") ? selectedIds : undefined}
                onSelect={setSelectedIds}
                refusals={new Map(decide.result?.outcomes.map(({ commission, refusal }) => [commission.id, refusal]))}
              />
              <p class="soft">
                {data.length} on this page: <Totals of={data} />
              </p>
              <Pagination nextCursor={meta.nextCursor} />
            </>
          )
        }
      </Loaded>
      {selected.length > 0 && (
        <DecisionBar
          selected={selected}
          isPending={decide.isPending}
          onApprove={() => approve(selected)}
          onReject={() => setRejecting(selected)}
          onAll={
            selected.length < rows.filter(mayReject).length
              ? () => setSelectedIds(new Set(rows.filter(mayReject).map(({ id }) => id)))
              : undefined
          }
          onClear={() => setSelectedIds(new Set())}
        />
      )}
      {rejecting !== undefined && (
        <RejectDialog commissions={rejecting} decide={decide} onClose={() => setRejecting(undefined)} />
      )}
    </>
  );
}

function CommissionFilters(): JSX.Element {
  const [filters, setFilters] = useFilters();
  return (
    <Filters>
      <SelectFilter
        label="Status"
        value={filters.status ?? ""}
        options={[["", "All with a commission"], ...statuses.map((each) => [each, statusLabels[each]] as const)]}
        onChoose={(status) => setFilters({ status })}
      />
      <PartnerFilter value={filters.partnerId ?? ""} onChoose={(partnerId) => setFilters({ partnerId })} />
    </Filters>
  );
}
