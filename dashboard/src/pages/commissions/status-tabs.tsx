import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Count } from "../../components/numbers.tsx";
import { scrollToCurrent } from "../../components/scroll-to-current.ts";
import { heldLabel, sumLabels } from "../../outcome-labels.ts";
import { addressWith, useFilters } from "../../url.ts";
import {
  chosenStatus,
  countOf,
  isOfHeld,
  isOfUnconfirmed,
  onlyHeld,
  onlyUnconfirmed,
  type Status,
  statuses,
  statusOf,
  type Total,
  withCommission,
} from "./queries.ts";
import { Totals } from "./totals.tsx";

/** Nothing is left of the others. */
const withAmounts: readonly Status[] = ["pending", "approved", "paid"];

interface StatusTabsProps {
  readonly totals: readonly Total[] | undefined;
  /** The first tab is of every status, and the default. */
  readonly hasAll?: boolean;
}

/** A status each, with its number and sum over the other filters. */
export function StatusTabs({ totals, hasAll = false }: StatusTabsProps): JSX.Element {
  const { path } = useLocation();
  const [filters] = useFilters();
  const current = hasAll ? chosenStatus(filters) : statusOf(filters);
  const isUnconfirmed = isOfUnconfirmed(filters);
  const isHeld = isOfHeld(filters);
  const to = (status: Status | undefined, only?: "held" | "unconfirmed") =>
    addressWith(path, {
      ...filters,
      status,
      unconfirmed: undefined,
      held: undefined,
      flag: undefined,
      reason: undefined,
      cursor: undefined,
      commission: undefined,
      ...(only && { [only]: "true" }),
    });
  const unconfirmed = totals && onlyUnconfirmed(totals);
  const hasUnconfirmed = isUnconfirmed || (unconfirmed !== undefined && unconfirmed.length > 0);
  const held = totals && onlyHeld(totals);
  const hasHeld = isHeld || (held !== undefined && held.length > 0);
  return (
    <nav class="status-tabs" aria-label="Status">
      {hasAll && (
        <Tab
          label="All"
          href={to(undefined)}
          isCurrent={current === undefined}
          totals={totals && withCommission(totals)}
          hasAmounts={false}
        />
      )}
      {hasUnconfirmed && (
        <Tab
          label="Needs confirmation"
          href={to("pending", "unconfirmed")}
          isCurrent={isUnconfirmed}
          totals={unconfirmed}
          hasAmounts
        />
      )}
      {hasHeld && <Tab label={heldLabel} href={to("pending", "held")} isCurrent={isHeld} totals={held} hasAmounts />}
      {statuses.map((status) => (
        <Tab
          key={status}
          label={sumLabels[status]}
          href={to(status)}
          isCurrent={status === current && !isUnconfirmed && !isHeld}
          totals={totals?.filter((total) => total.status === status)}
          hasAmounts={withAmounts.includes(status)}
        />
      ))}
    </nav>
  );
}

interface TabProps {
  readonly label: string | undefined;
  readonly href: string;
  readonly isCurrent: boolean;
  readonly totals: readonly Total[] | undefined;
  readonly hasAmounts: boolean;
}

function Tab({ label, href, isCurrent, totals, hasAmounts }: TabProps): JSX.Element {
  const link = useRef<HTMLAnchorElement>(null);
  const isFilled = totals !== undefined;
  useLayoutEffect(() => {
    if (isCurrent) scrollToCurrent(link.current);
  }, [isCurrent, isFilled]);
  return (
    <a ref={link} href={href} aria-current={isCurrent ? "page" : undefined}>
      <span>
        {label} {totals && <Count of={countOf(totals)} />}
      </span>
      <small>{totals && hasAmounts && countOf(totals) > 0 && <Totals of={totals} max={2} />}</small>
    </a>
  );
}

interface FilterTotalProps {
  readonly totals: readonly Total[];
  /** Undefined: every status. */
  readonly status: Status | undefined;
}

/** Over all pages of the filter. */
export const FilterTotal = ({ totals, status }: FilterTotalProps): JSX.Element => {
  const count = countOf(totals);
  const noun = status === "void" ? "sale" : "commission";
  return (
    <p class="filter-total soft">
      <Count of={count} /> {count === 1 ? noun : `${noun}s`}
      {status !== undefined && withAmounts.includes(status) && (
        <>
          {" · "}
          <Totals of={totals} />
        </>
      )}
    </p>
  );
};
