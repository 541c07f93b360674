import type { JSX } from "preact";
import { Pagination } from "../../components/pagination.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { TableSkeleton } from "../../components/table.tsx";
import { useProgram } from "../../session.tsx";
import { payoutAddress, programAddress, useFilters } from "../../url.ts";
import { usePayout } from "../payouts/queries.ts";
import { CommissionFilters } from "./commission-filters.tsx";
import { CommissionTable } from "./commission-table.tsx";
import { ExportMenu } from "./export-menu.tsx";
import { CommissionPanel } from "./late-panel.tsx";
import { useCommissions, useTotals } from "./queries.ts";
import { FilterTotal } from "./status-tabs.tsx";

const noRefusals: ReadonlyMap<number, undefined> = new Map();

/** Commissions of a payout. They can't be decided, since the payout has reserved or paid them. */
export function PayoutCommissions({ payoutId }: { readonly payoutId: string }): JSX.Element {
  const { program } = useProgram();
  const [filters, setFilters] = useFilters();
  const commissions = useCommissions(filters);
  const totals = useTotals(filters).data;
  const payout = usePayout(payoutId).data;
  const name = payout?.reference ?? `Payout ${payoutId}`;
  const shown = totals?.filter(({ currency }) => !filters.currency || currency === filters.currency);
  return (
    <>
      <header class="page-head spread">
        <div>
          <h1>Commissions</h1>
          <p class="soft">
            Of the payout{" "}
            <a href={payoutAddress(program.id, Number(payoutId))}>
              <bdi>{name}</bdi>
            </a>
            . Refunds since it was finalized lower these amounts, and are deducted from the next payout.
          </p>
        </div>
        <ExportMenu />
      </header>
      <CommissionFilters totals={totals} payoutName={name} />
      <Loaded query={commissions} skeleton={<TableSkeleton rows={10} />}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <Empty
              title="No commissions found"
              action={<a href={programAddress(program.id, "commissions")}>View all commissions</a>}
            >
              No commissions in this payout match these filters.
            </Empty>
          ) : (
            <>
              <CommissionTable
                commissions={data}
                isBusy={commissions.isBusy}
                selectedIds={undefined}
                onSelect={() => undefined}
                refusals={noRefusals}
              />
              {shown && <FilterTotal status={shown[0]?.status} totals={shown} />}
              <Pagination nextCursor={meta.nextCursor} first="First page" next="Next page" />
            </>
          )
        }
      </Loaded>
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
