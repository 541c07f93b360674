import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Button, ButtonLink } from "../../components/button.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Pagination } from "../../components/pagination.tsx";
import { useShortcuts } from "../../components/shortcuts.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { TableSkeleton } from "../../components/table.tsx";
import { sumLabels } from "../../outcome-labels.ts";
import { useProgram } from "../../session.tsx";
import { addressWith, type Filters, programAddress, useFilters } from "../../url.ts";
import { CommissionFilters } from "./commission-filters.tsx";
import { CommissionTable } from "./commission-table.tsx";
import { type Matching, mayApprove, mayHold, mayReject, type Outcome } from "./decide.ts";
import { DecisionBar } from "./decision-bar.tsx";
import { useDecisions } from "./decisions.tsx";
import { ExportMenu } from "./export-menu.tsx";
import { CommissionPanel } from "./late-panel.tsx";
import Outcomes from "./outcomes.tsx";
import { PayoutCommissions } from "./payout-commissions.tsx";
import {
  countOf,
  isOfFlagged,
  isOfHeld,
  isOfUnconfirmed,
  statusOf,
  type Total,
  totalsShown,
  useCommissions,
  useTotals,
} from "./queries.ts";
import { FilterTotal, StatusTabs } from "./status-tabs.tsx";

const Held = lazy(() => import("./held/held.tsx"), <TableSkeleton rows={10} />);

export default function Commissions(): JSX.Element {
  const [{ payoutId }] = useFilters();
  return payoutId ? <PayoutCommissions payoutId={payoutId} /> : <AllCommissions />;
}

function AllCommissions(): JSX.Element {
  const [filters, setFilters] = useFilters();
  const totals = useTotals(filters).data;
  const shown = totals && totalsShown(totals, filters);
  return (
    <>
      <header class="page-head spread">
        <h1>Commissions</h1>
        <ExportMenu />
      </header>
      <StatusTabs totals={totals?.filter((total) => isIn(total, filters))} />
      <CommissionFilters totals={totals} />
      {isOfHeld(filters) ? (
        <Held totals={shown} />
      ) : (
        <List totals={shown} hasApproved={totals !== undefined && hasApproved(totals)} />
      )}
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

interface ListProps {
  /** Totals of all pages under the current filters. */
  readonly totals: readonly Total[] | undefined;
  readonly hasApproved: boolean;
}

function List({ totals, hasApproved }: ListProps): JSX.Element {
  const { may } = useProgram();
  const [filters] = useFilters();
  const commissions = useCommissions(filters);
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<number>>(new Set());
  const [matchingIn, setMatchingIn] = useState<Filters>();
  const select = (ids: ReadonlySet<number>) => {
    setMatchingIn(undefined);
    setSelectedIds(ids);
  };
  const { decide, approve, reject, hold, dialog } = useDecisions((outcomes) => select(idsOfRefused(outcomes)));
  const rows = commissions.data?.data ?? [];
  // While a new filter loads, rows of the previous filter can't be decided.
  const open = commissions.isStale ? [] : rows.filter(mayReject);
  const selected = open.filter(({ id }) => selectedIds.has(id));
  const count = totals === undefined ? 0 : countOf(totals);
  // Totals don't include the number of flagged commissions.
  const isFlagged = isOfFlagged(filters);
  const matching: Matching | undefined =
    matchingIn !== undefined && matchingIn === filters && totals !== undefined ? { filters, totals, count } : undefined;

  useShortcuts(selected.length > 0 && !decide.isPending, {
    a: () => selected.some(mayApprove) && approve(selected, matching),
    r: () => reject(selected, matching),
    h: () => matching === undefined && selected.some(mayHold) && hold(selected),
  });

  return (
    <>
      <Outcomes decide={decide} />
      {selected.length > 0 && (
        <DecisionBar
          selected={selected}
          isPending={decide.isPending}
          matching={matching}
          beyondPage={count > rows.length && !isFlagged ? count : undefined}
          onApprove={() => approve(selected, matching)}
          onReject={() => reject(selected, matching)}
          onHold={() => hold(selected)}
          onAll={selected.length < open.length ? () => select(new Set(open.map(({ id }) => id))) : undefined}
          onMatching={() => setMatchingIn(filters)}
          onClear={() => select(new Set())}
        />
      )}
      <Loaded query={commissions} skeleton={<TableSkeleton rows={10} />}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <NoCommissions hasApproved={hasApproved} />
          ) : (
            <>
              <CommissionTable
                commissions={data}
                isBusy={commissions.isBusy}
                selectedIds={may("admin") ? selectedIds : undefined}
                isSelectable={!commissions.isStale}
                onSelect={select}
                refusals={new Map(decide.result?.outcomes.map(({ id, refusal }) => [id, refusal]))}
              />
              {totals && !isFlagged && <FilterTotal status={statusOf(filters)} totals={totals} />}
              <Pagination nextCursor={meta.nextCursor} first="First page" next="Next page" />
            </>
          )
        }
      </Loaded>
      {dialog}
    </>
  );
}

const isIn = ({ currency }: Total, filters: Filters): boolean => !filters.currency || currency === filters.currency;

const hasApproved = (totals: readonly Total[]): boolean =>
  totals.some(({ status, count }) => status === "approved" && count > 0);

const idsOfRefused = (outcomes: readonly Outcome[]): ReadonlySet<number> =>
  new Set(outcomes.flatMap(({ id, refusal }) => (refusal === undefined ? [] : [id])));

function NothingLeft({ isOfUnconfirmed: isConfirming }: { readonly isOfUnconfirmed: boolean }): JSX.Element {
  const { program } = useProgram();
  return (
    <Empty
      title={isConfirming ? "Nothing left to confirm" : "Nothing is flagged"}
      action={<ButtonLink href={programAddress(program.id, "payouts")}>Pay partners</ButtonLink>}
    >
      {isConfirming
        ? "Commissions for which only a browser reported the click appear here."
        : "Commissions on hold that a rule has flagged appear here."}
    </Empty>
  );
}

function NoCommissions({ hasApproved }: Pick<ListProps, "hasApproved">): JSX.Element {
  const { program } = useProgram();
  const { path, route } = useLocation();
  const [filters] = useFilters();
  const { status, sort: _, order: __, commission: ___, unconfirmed, flag, ...narrowing } = filters;
  const label = sumLabels[statusOf(filters)].toLowerCase();
  if (Object.values(narrowing).some(Boolean)) {
    const clear = () => route(addressWith(path, { status, unconfirmed, flag }));
    return (
      <Empty title="No commissions found" action={<Button onClick={clear}>Clear filters</Button>}>
        No commissions match these filters.
      </Empty>
    );
  }
  if (isOfUnconfirmed(filters) || isOfFlagged(filters))
    return <NothingLeft isOfUnconfirmed={isOfUnconfirmed(filters)} />;
  if (statusOf(filters) === "void") return <Empty title="No sales without commission">Every sale earned one.</Empty>;
  if (statusOf(filters) === "pending" && hasApproved) {
    return (
      <Empty
        title={`No commissions ${label}`}
        action={<ButtonLink href={programAddress(program.id, "payouts")}>Pay partners</ButtonLink>}
      >
        Commissions that were approved can be paid with a payout.
      </Empty>
    );
  }
  return (
    <Empty title={`No commissions ${label}`}>
      Each sale that a partner brings in creates a commission, with an explanation of its amount.
    </Empty>
  );
}
