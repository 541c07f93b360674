import "./held.css";
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Button } from "../../../components/button.tsx";
import { Pagination } from "../../../components/pagination.tsx";
import { useShortcuts } from "../../../components/shortcuts.tsx";
import { Empty, Loaded, Skeleton } from "../../../components/states.tsx";
import { useProgram } from "../../../session.tsx";
import { addressWith, settingsAddress, useFilters } from "../../../url.ts";
import type { Outcome } from "../decide.ts";
import { useDecisions } from "../decisions.tsx";
import Outcomes from "../outcomes.tsx";
import { type Commission, type Total, useCommissions } from "../queries.ts";
import { FilterTotal } from "../status-tabs.tsx";
import { HeldBar } from "./held-bar.tsx";
import { HeldCard, type Verb } from "./held-card.tsx";
import { useTrackRecords } from "./track-record.tsx";

const none: ReadonlySet<number> = new Set();

/** The queue of held commissions. Each card has everything that is needed to decide it. */
export default function Held({ totals }: { readonly totals: readonly Total[] | undefined }): JSX.Element {
  const { may } = useProgram();
  const [filters] = useFilters();
  const commissions = useCommissions(filters);
  const [selectedIds, setSelectedIds] = useState(none);
  const { decide, reject, release, dialog } = useDecisions((outcomes) => setSelectedIds(idsOfRefused(outcomes)));
  const rows = commissions.data?.data ?? [];
  // While a new filter loads, rows of the previous filter can't be decided.
  const open = commissions.isStale || !may("admin") ? [] : rows;
  const selected = open.filter(({ id }) => selectedIds.has(id));
  const ask = (verb: Verb, some: readonly Commission[]) => (verb === "release" ? release(some) : reject(some));
  return (
    <>
      <Outcomes decide={decide} />
      <Loaded query={commissions} skeleton={<HeldSkeleton />}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <NoneHeld />
          ) : (
            <>
              <Queue
                commissions={data}
                isDecidable={open.length > 0}
                selected={selected}
                selectedIds={selectedIds}
                onSelect={setSelectedIds}
                onDecide={ask}
              />
              {totals && <FilterTotal status="pending" totals={totals} />}
              <Pagination nextCursor={meta.nextCursor} first="First page" next="Next page" />
            </>
          )
        }
      </Loaded>
      {selected.length > 0 && (
        <HeldBar
          selected={selected}
          isPending={decide.isPending}
          onDecide={(verb) => ask(verb, selected)}
          onAll={selected.length < open.length ? () => setSelectedIds(new Set(open.map(({ id }) => id))) : undefined}
          onClear={() => setSelectedIds(none)}
        />
      )}
      {dialog}
    </>
  );
}

const idsOfRefused = (outcomes: readonly Outcome[]): ReadonlySet<number> =>
  new Set(outcomes.flatMap(({ id, refusal }) => (refusal === undefined ? [] : [id])));

interface QueueProps {
  readonly commissions: readonly Commission[];
  readonly isDecidable: boolean;
  readonly selected: readonly Commission[];
  readonly selectedIds: ReadonlySet<number>;
  readonly onSelect: (ids: ReadonlySet<number>) => void;
  readonly onDecide: (verb: Verb, commissions: readonly Commission[]) => void;
}

function Queue({ commissions, isDecidable, selected, selectedIds, onSelect, onDecide }: QueueProps): JSX.Element {
  const list = useRef<HTMLUListElement>(null);
  const records = useTrackRecords(commissions);
  const decide = (verb: Verb) => {
    const marked = commissions[indexOfMarked(list.current)];
    const decided = selected.length > 0 || marked === undefined ? selected : [marked];
    if (decided.length > 0) onDecide(verb, decided);
  };
  useShortcuts(isDecidable, { a: () => decide("release"), r: () => decide("reject") });
  return (
    <>
      {isDecidable && (
        <p class="soft held-keys">
          <kbd>A</kbd> releases what is selected, or the marked commission; <kbd>R</kbd> rejects it.
        </p>
      )}
      <ul ref={list} class={isDecidable ? "held decidable" : "held"} aria-label="Commissions held for review">
        {commissions.map((commission) => {
          const { id, partnerId } = commission;
          return (
            <HeldCard
              key={id}
              commission={commission}
              record={partnerId === null ? undefined : records?.get(partnerId)}
              onDecide={isDecidable ? (verb) => onDecide(verb, [commission]) : undefined}
              isSelected={selectedIds.has(id)}
              onSelect={(isSelected) => {
                const others = [...selectedIds].filter((each) => each !== id);
                onSelect(new Set(isSelected ? [...others, id] : others));
              }}
            />
          );
        })}
      </ul>
    </>
  );
}

/** Index of the focused card, or of the first card if none is focused. The style sheet marks the same card. */
function indexOfMarked(list: HTMLElement | null): number {
  const index = [...(list?.children ?? [])].findIndex((card) => card.contains(document.activeElement));
  return Math.max(0, index);
}

function NoneHeld(): JSX.Element {
  const { program } = useProgram();
  const { path, route } = useLocation();
  const [{ held, status: _, sort: __, order: ___, commission: ____, ...narrowing }] = useFilters();
  if (Object.values(narrowing).some(Boolean)) {
    const clear = () => route(addressWith(path, { held }));
    return (
      <Empty title="No commissions found" action={<Button onClick={clear}>Clear filters</Button>}>
        No commissions held for review match these filters.
      </Empty>
    );
  }
  return (
    <Empty
      title="No commissions held for review"
      action={<a href={settingsAddress(program.id, "risk")}>View risk settings</a>}
    >
      Suspicious commissions wait here until they are released or rejected. You can also hold any other commission.
    </Empty>
  );
}

const HeldSkeleton = (): JSX.Element => (
  <div class="held">
    {[0, 1, 2].map((each) => (
      <div key={each} class="card">
        <Skeleton lines={4} />
      </div>
    ))}
  </div>
);
