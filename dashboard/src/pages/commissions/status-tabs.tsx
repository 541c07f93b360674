import { Fragment, type JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Count } from "../../components/numbers.tsx";
import { scrollToCurrent } from "../../components/scroll-to-current.ts";
import { flaggedLabel, heldLabel, sumLabels } from "../../outcome-labels.ts";
import { addressWith, useFilters } from "../../url.ts";
import {
  chosenStatus,
  countOf,
  isOfFlagged,
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
  const to = (status: Status | undefined, only?: Readonly<Partial<Record<"held" | "unconfirmed" | "flag", string>>>) =>
    addressWith(path, {
      ...filters,
      status,
      unconfirmed: undefined,
      held: undefined,
      flag: undefined,
      reason: undefined,
      cursor: undefined,
      commission: undefined,
      ...only,
    });
  const unconfirmed = totals && onlyUnconfirmed(totals);
  const hasUnconfirmed = isUnconfirmed || (unconfirmed !== undefined && unconfirmed.length > 0);
  const isFlagged = isOfFlagged(filters);
  const held = totals && onlyHeld(totals);
  const hasHeld = isHeld || (held !== undefined && held.length > 0);
  const parts = (
    <>
      {hasUnconfirmed && (
        <Tab
          label="of which to confirm"
          href={to("pending", { unconfirmed: "true" })}
          isCurrent={isUnconfirmed}
          totals={unconfirmed}
          hasAmounts
        />
      )}
      {hasHeld && (
        <Tab
          label={`of which ${heldLabel.toLowerCase()}`}
          href={to("pending", { held: "true" })}
          isCurrent={isHeld}
          totals={held}
          hasAmounts
        />
      )}
      {countOf(totals?.filter(({ status }) => status === "pending") ?? []) > 0 && (
        <Tab
          label={`of which ${flaggedLabel.toLowerCase()}`}
          href={to("pending", { flag: "any" })}
          isCurrent={isFlagged}
          totals={undefined}
          hasAmounts={false}
        />
      )}
    </>
  );
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
      {statuses.map((status) => (
        <Fragment key={status}>
          <Tab
            label={sumLabels[status]}
            href={to(status)}
            isCurrent={status === current && !isUnconfirmed && !isHeld && !isFlagged}
            totals={totals?.filter((total) => total.status === status)}
            hasAmounts={withAmounts.includes(status)}
          />
          {status === "pending" && parts}
        </Fragment>
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
