import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Pagination } from "../../components/pagination.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { TableSkeleton } from "../../components/table.tsx";
import { useProgram } from "../../session.tsx";
import { addressWith, programAddress, useFilters } from "../../url.ts";
import { CommissionTable } from "../commissions/commission-table.tsx";
import { CommissionPanel } from "../commissions/late-panel.tsx";
import { chosenStatus, totalsShown, useCommissions, useTotals, withCommission } from "../commissions/queries.ts";
import { FilterTotal, StatusTabs } from "../commissions/status-tabs.tsx";

const MissingSale = lazy(() => import("./missing-sale.tsx"), null);

const noIds: ReadonlyMap<number, undefined> = new Map();

/** The partner's commissions of all days and currencies: the page's period and currency apply only to its figures. */
export function PartnerCommissions({ partnerId }: { readonly partnerId: string }): JSX.Element {
  const { program } = useProgram();
  const [filters, setFilters] = useFilters();
  const { status: named, unconfirmed, held, sort, order, cursor, commission } = filters;
  const narrowing = { partnerId, status: named, unconfirmed, held, sort, order, cursor };
  const [isFinding, setIsFinding] = useState(false);
  const status = chosenStatus(filters);
  const commissions = useCommissions(narrowing, status === undefined ? "every status" : "one status");
  const { data: totals, failure } = useTotals({ partnerId });
  const shown = totals && (status === undefined ? withCommission(totals) : totalsShown(totals, narrowing));
  if (totals === undefined && failure === undefined) return <TableSkeleton rows={8} />;
  return (
    <>
      <StatusTabs totals={totals} hasAll />
      <p>
        <Button onClick={() => setIsFinding(true)}>Find a missing sale…</Button>
      </p>
      <Loaded query={commissions} skeleton={<TableSkeleton rows={8} />}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <Empty title="No commissions">Each sale that this partner brings in creates a commission.</Empty>
          ) : (
            <>
              <CommissionTable
                commissions={data}
                isBusy={commissions.isBusy}
                isOfOnePartner
                selectedIds={undefined}
                onSelect={() => undefined}
                refusals={noIds}
              />
              {shown && <FilterTotal status={status} totals={shown} />}
              <p>
                <a href={addressWith(programAddress(program.id, "commissions"), { partnerId, status: named, held })}>
                  Approve or reject in Commissions
                </a>
              </p>
              <Pagination nextCursor={meta.nextCursor} first="First page" next="Next page" />
            </>
          )
        }
      </Loaded>
      {isFinding && <MissingSale partnerId={partnerId} onClose={() => setIsFinding(false)} />}
      {commission !== undefined && (
        <CommissionPanel
          key={commission}
          id={commission}
          onClose={() => setFilters({ commission: undefined, cursor })}
        />
      )}
    </>
  );
}
