import type { JSX } from "preact";
import { useLocation } from "preact-iso/router";
import { Count } from "../../components/numbers.tsx";
import { statusLabels } from "../../outcome-labels.ts";
import { addressWith, useFilters } from "../../url.ts";
import { type Status, statuses, statusOf, type Total } from "./queries.ts";
import { Totals } from "./totals.tsx";

/** Nothing is left of the others. */
const withAmounts: readonly Status[] = ["pending", "approved", "paid"];

const countOf = (totals: readonly Total[]): number => totals.reduce((sum, { count }) => sum + count, 0);

/** A status each, with its number and sum over the other filters. */
export function StatusTabs({ totals }: { readonly totals: readonly Total[] | undefined }): JSX.Element {
  const { path } = useLocation();
  const [filters] = useFilters();
  const current = statusOf(filters);
  const to = (status: Status) =>
    addressWith(path, { ...filters, status, reason: undefined, cursor: undefined, commission: undefined });
  return (
    <nav class="status-tabs" aria-label="Status">
      {statuses.map((status) => {
        const own = totals?.filter((total) => total.status === status);
        return (
          <a key={status} href={to(status)} aria-current={status === current ? "page" : undefined}>
            <span>
              {statusLabels[status]} {own && <Count of={countOf(own)} />}
            </span>
            <small>{own && withAmounts.includes(status) && countOf(own) > 0 && <Totals of={own} max={2} />}</small>
          </a>
        );
      })}
    </nav>
  );
}

interface FilterTotalProps {
  readonly totals: readonly Total[];
  readonly status: Status;
}

/** Over all pages of the filter. */
export const FilterTotal = ({ totals, status }: FilterTotalProps): JSX.Element => {
  const count = countOf(totals);
  const noun = status === "void" ? "sale" : "commission";
  return (
    <p class="filter-total soft">
      <Count of={count} /> {count === 1 ? noun : `${noun}s`}
      {withAmounts.includes(status) && (
        <>
          {" · "}
          <Totals of={totals} />
        </>
      )}
    </p>
  );
};
