import type { JSX } from "preact";
import { Pagination } from "../../components/pagination.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { TableSkeleton } from "../../components/table.tsx";
import { useProgram } from "../../session.tsx";
import { addressWith, programAddress, useFilters } from "../../url.ts";
import { CommissionPanel } from "../commissions/commission-panel.tsx";
import { CommissionTable } from "../commissions/commission-table.tsx";
import { useCommissions } from "../commissions/queries.ts";

const noIds: ReadonlyMap<number, undefined> = new Map();

export function PartnerCommissions({ partnerId }: { readonly partnerId: string }): JSX.Element {
  const { program } = useProgram();
  const [filters, setFilters] = useFilters();
  const { cursor, commission } = filters;
  const commissions = useCommissions({ ...filters, partnerId }, "every status");
  return (
    <>
      <Loaded query={commissions} skeleton={<TableSkeleton rows={8} />}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <Empty title="No commissions yet">Each sale that this partner brings in creates a commission.</Empty>
          ) : (
            <>
              <CommissionTable
                commissions={data}
                isStale={commissions.isLoading}
                isOfOnePartner
                selectedIds={undefined}
                onSelect={() => undefined}
                refusals={noIds}
              />
              <p>
                <a href={addressWith(programAddress(program.id, "commissions"), { partnerId })}>
                  Approve or reject in Commissions
                </a>
              </p>
              <Pagination nextCursor={meta.nextCursor} first="First page" next="Next page" />
            </>
          )
        }
      </Loaded>
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
