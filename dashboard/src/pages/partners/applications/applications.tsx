import "./applications.css";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button, ButtonLink } from "../../../components/button.tsx";
import { Filters, Segments } from "../../../components/filters.tsx";
import { Pagination } from "../../../components/pagination.tsx";
import { ShortcutsSaid, useShortcuts } from "../../../components/shortcuts.tsx";
import { Empty, Loaded, Skeleton } from "../../../components/states.tsx";
import { useProgram } from "../../../session.tsx";
import { programAddress, useFilters } from "../../../url.ts";
import { useJoinPage } from "../join/queries.ts";
import { Sections } from "../sections.tsx";
import { ApplicationCard } from "./application-card.tsx";
import type { Decided, Decision } from "./decide.ts";
import { DecisionDialog } from "./decision-dialog.tsx";
import { Outcomes } from "./outcomes.tsx";
import { type Application, everyStatus, statuses, statusOf, useApplications } from "./queries.ts";

export default function Applications(): JSX.Element {
  const { mayChange } = useProgram();
  const [filters, setFilters] = useFilters();
  const applications = useApplications(filters);
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<number>>(new Set());
  const [asked, setAsked] = useState<Decision>();
  const [decided, setDecided] = useState<Decided>();
  const rows = applications.data?.data ?? [];
  // While a new filter loads, applications of the previous filter can't be decided.
  const open = applications.isStale || !mayChange("admin") ? [] : rows.filter(isOpen);
  const selected = open.filter(({ id }) => selectedIds.has(id));
  const status = statusOf(filters);
  useShortcuts(selected.length > 0, {
    a: () => setAsked({ verb: "approve", applications: selected }),
    d: () => setAsked({ verb: "decline", applications: selected }),
  });
  return (
    <>
      <header class="page-head">
        <h1>Partners</h1>
      </header>
      <Sections current="applications" />
      <Filters>
        <Segments
          label="Status"
          value={status ?? everyStatus}
          options={[...statuses, [everyStatus, "All"]]}
          onChoose={(chosen) => setFilters({ status: chosen === "pending" ? undefined : chosen })}
        />
      </Filters>
      {decided && <Outcomes decided={decided} />}
      <Loaded query={applications} skeleton={<ListSkeleton />}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <NoApplications isWaiting={status === "pending"} />
          ) : (
            <>
              <List
                applications={data}
                open={open}
                selectedIds={selectedIds}
                onSelect={setSelectedIds}
                onDecide={setAsked}
              />
              <Pagination nextCursor={meta.nextCursor} />
            </>
          )
        }
      </Loaded>
      {selected.length > 0 && (
        <SelectionBar
          size={selected.length}
          onDecide={(verb) => setAsked({ verb, applications: selected })}
          onAll={selected.length < open.length ? () => setSelectedIds(new Set(open.map(({ id }) => id))) : undefined}
          onClear={() => setSelectedIds(new Set())}
        />
      )}
      {asked && (
        <DecisionDialog
          asked={asked}
          onClose={() => setAsked(undefined)}
          onDone={(done) => {
            setAsked(undefined);
            setSelectedIds(new Set());
            setDecided(done);
          }}
        />
      )}
    </>
  );
}

const isOpen = ({ status }: Application): boolean => status === "pending";

interface ListProps {
  readonly applications: readonly Application[];
  readonly open: readonly Application[];
  readonly selectedIds: ReadonlySet<number>;
  readonly onSelect: (ids: ReadonlySet<number>) => void;
  readonly onDecide: (asked: Decision) => void;
}

function List({ applications, open, selectedIds, onSelect, onDecide }: ListProps): JSX.Element {
  const questions = useJoinPage().data?.questions ?? [];
  return (
    <ul class="applications" aria-label="Applications">
      {applications.map((application) => {
        const { id } = application;
        return (
          <ApplicationCard
            key={id}
            application={application}
            questions={questions}
            onDecide={
              open.includes(application) ? (verb) => onDecide({ verb, applications: [application] }) : undefined
            }
            isSelected={selectedIds.has(id)}
            onSelect={(isSelected) => {
              const others = [...selectedIds].filter((each) => each !== id);
              onSelect(new Set(isSelected ? [...others, id] : others));
            }}
          />
        );
      })}
    </ul>
  );
}

interface SelectionBarProps {
  readonly size: number;
  readonly onDecide: (verb: Decision["verb"]) => void;
  readonly onAll: (() => void) | undefined;
  readonly onClear: () => void;
}

const SelectionBar = ({ size, onDecide, onAll, onClear }: SelectionBarProps): JSX.Element => (
  <section class="selection-bar row spread" aria-label="Selection">
    <p role="status">
      <strong>{size} selected</strong>
      <ShortcutsSaid verbs={{ A: "approve", D: "decline" }} />
    </p>
    <div class="row">
      <Button look="primary" shortcut="A" onClick={() => onDecide("approve")}>
        Approve {size}…
      </Button>
      <Button look="danger" shortcut="D" onClick={() => onDecide("decline")}>
        Decline {size}…
      </Button>
      {onAll && (
        <Button look="quiet" onClick={onAll}>
          Select all
        </Button>
      )}
      <Button look="quiet" onClick={onClear}>
        Clear selection
      </Button>
    </div>
  </section>
);

function NoApplications({ isWaiting }: { readonly isWaiting: boolean }): JSX.Element {
  const { program } = useProgram();
  const page = useJoinPage().data;
  const isClosed = page === null || page?.mode === "closed";
  if (isWaiting && isClosed) {
    return (
      <Empty
        title="Your join page is closed"
        action={
          <ButtonLink href={programAddress(program.id, "partners/join")} look="primary">
            Set up the join page
          </ButtonLink>
        }
      >
        Once your join page is open, people apply there to become partners, and you decide here.
      </Empty>
    );
  }
  return isWaiting ? (
    <Empty title="No applications waiting">People who apply on your join page appear here.</Empty>
  ) : (
    <Empty title="No applications found">Applications with this status appear here.</Empty>
  );
}

const ListSkeleton = (): JSX.Element => (
  <div class="applications">
    {[0, 1, 2].map((each) => (
      <div key={each} class="card">
        <Skeleton lines={4} />
      </div>
    ))}
  </div>
);
