import { Fragment, type JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Count } from "../../components/numbers.tsx";
import { scrollToCurrent } from "../../components/scroll-to-current.ts";
import { flaggedLabel, heldLabel, sumLabels } from "../../outcome-labels.ts";
import { addressWith, type Filters, useFilters } from "../../url.ts";
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
  useMarked,
  withCommission,
} from "./queries.ts";
import { Totals } from "./totals.tsx";

/** Statuses whose commissions have a remaining amount. */
const withAmounts: readonly Status[] = ["pending", "approved", "paid"];

interface StatusTabsProps {
  readonly totals: readonly Total[] | undefined;
  /** Adds a first tab for every status, which is the default. */
  readonly hasAll?: boolean;
}

/** A tab for each status, with the number and sum of its commissions under the other filters. */
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
  const hasPending = countOf(totals?.filter(({ status }) => status === "pending") ?? []) > 0;
  const held = totals && onlyHeld(totals);
  const hasHeld = isHeld || (held !== undefined && held.length > 0);
  const parts = (
    <>
      {hasUnconfirmed && (
        <Tab
          label="To confirm"
          href={to("pending", { unconfirmed: "true" })}
          isCurrent={isUnconfirmed}
          isPart
          totals={unconfirmed}
          hasAmounts
        />
      )}
      {hasHeld && (
        <Tab
          label={heldLabel}
          href={to("pending", { held: "true" })}
          isCurrent={isHeld}
          isPart
          totals={held}
          hasAmounts
        />
      )}
      {/* A partner's page, which has all statuses, doesn't list flagged commissions. */}
      {hasPending && !hasAll && (
        <FlaggedTab filters={filters} href={to("pending", { flag: "any" })} isCurrent={isFlagged} />
      )}
    </>
  );
  return (
    <nav class="status-tabs" aria-label="Status">
      {hasAll && (
        <Tab
          label="All commissions"
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

interface FlaggedTabProps extends Pick<TabProps, "href" | "isCurrent"> {
  readonly filters: Filters;
}

function FlaggedTab({ filters, href, isCurrent }: FlaggedTabProps): JSX.Element | null {
  const { data, meta } = useMarked("flagged", { ...filters, unconfirmed: undefined }).data ?? {
    data: [],
    meta: undefined,
  };
  if (!isCurrent && data.length === 0) return null;
  const hasMore = meta?.nextCursor != null;
  return (
    <Tab
      label={flaggedLabel}
      href={href}
      isCurrent={isCurrent}
      isPart
      totals={meta && data.map(({ currency, amountCents }) => ({ count: 1, currency, amountCents }))}
      hasMore={hasMore}
      hasAmounts={!hasMore}
    />
  );
}

interface TabProps {
  readonly label: string | undefined;
  readonly href: string;
  readonly isCurrent: boolean;
  readonly totals: readonly Pick<Total, "count" | "currency" | "amountCents">[] | undefined;
  readonly hasAmounts: boolean;
  /** True if the tab lists a part of the previous tab's commissions. */
  readonly isPart?: boolean;
  /** True if there are more commissions than were counted. */
  readonly hasMore?: boolean;
}

function Tab({ label, href, isCurrent, totals, hasAmounts, isPart = false, hasMore = false }: TabProps): JSX.Element {
  const link = useRef<HTMLAnchorElement>(null);
  const isFilled = totals !== undefined;
  // Scrolls to the current tab again when a tab that appears or grows has moved it.
  useLayoutEffect(() => scrollToCurrent(link.current), [isCurrent, isFilled]);
  return (
    <a
      ref={link}
      href={href}
      class={isPart ? "part" : undefined}
      title={isPart ? `Included in “${sumLabels.pending}”` : undefined}
      aria-current={isCurrent ? "page" : undefined}
    >
      <span>
        {isPart && <span class="unseen">Included in {sumLabels.pending}: </span>}
        {label} {totals && <Count of={countOf(totals)} />}
        {hasMore && "+"}
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

/** The total of all pages of the filter. */
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
