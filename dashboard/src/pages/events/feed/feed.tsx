import "./feed.css";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { eventTypes } from "#domain/event-type.ts";
import type { FeedEvent } from "../../../api/types.ts";
import { Code } from "../../../components/copy.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Filters, Segments, SelectFilter } from "../../../components/filters.tsx";
import { Pagination } from "../../../components/pagination.tsx";
import { Empty, Loaded } from "../../../components/states.tsx";
import { Table, TableSkeleton } from "../../../components/table.tsx";
import { Ago } from "../../../components/time.tsx";
import { formatCount } from "../../../format.ts";
import { useFilters } from "../../../url.ts";
import { Sections } from "../sections.tsx";
import { feedQuery, useFeed } from "./queries.ts";
import { subjectOf } from "./subject-of.ts";

export default function Feed(): JSX.Element {
  const [filters] = useFilters();
  const feed = useFeed(filters);
  const { isTest } = feedQuery(filters);
  const [opened, setOpened] = useState<FeedEvent>();
  return (
    <>
      <header class="page-head">
        <h1>Events</h1>
      </header>
      <Sections current="feed" />
      <p class="soft">
        Every change of the last 30 days, by number, as sent to webhooks and returned by{" "}
        <code>GET /api/v1/programs/me/events</code>.
      </p>
      <FeedFilters />
      <Loaded query={feed} skeleton={<TableSkeleton rows={12} />}>
        {({ events, fromSeq, toSeq, older }) => (
          <div class="stack">
            {toSeq === 0 ? (
              <Empty title={isTest ? "No test events yet" : "No events yet"}>
                Recorded sales, approved commissions, payouts and other changes appear here as they happen.
              </Empty>
            ) : events.length === 0 ? (
              <Empty title="No matching events">
                {fromSeq === toSeq
                  ? `Event ${formatCount(toSeq)} isn't of this type.`
                  : `None of the events ${formatCount(fromSeq)} to ${formatCount(toSeq)} is of this type.`}
              </Empty>
            ) : (
              <FeedTable events={events} isStale={feed.isStale} onOpen={setOpened} />
            )}
            <Pagination nextCursor={older} />
          </div>
        )}
      </Loaded>
      {opened && (
        <Dialog title={opened.type} look="drawer" onClose={() => setOpened(undefined)}>
          <Code text={JSON.stringify(opened, null, 2)} what="event" />
        </Dialog>
      )}
    </>
  );
}

function FeedFilters(): JSX.Element {
  const [filters, setFilters] = useFilters();
  const { type = "", isTest, lastSeq } = feedQuery(filters);
  return (
    <Filters>
      <Segments
        label="Data"
        value={isTest ? "only" : ""}
        options={[
          ["", "Live"],
          ["only", "Test"],
        ]}
        onChoose={(test) => setFilters({ test })}
      />
      <SelectFilter
        label="Type"
        value={type}
        options={[["", "All types"], ...eventTypes.map((each) => [each, each] as const)]}
        onChoose={(chosen) => setFilters({ type: chosen })}
      />
      <input
        class="control filter"
        inputMode="numeric"
        aria-label="From number"
        placeholder="From number"
        value={lastSeq ?? ""}
        onChange={(event) => setFilters({ cursor: event.currentTarget.value.trim() })}
      />
    </Filters>
  );
}

interface FeedTableProps {
  readonly events: readonly FeedEvent[];
  readonly isStale: boolean;
  readonly onOpen: (event: FeedEvent) => void;
}

const FeedTable = ({ events, isStale, onOpen }: FeedTableProps): JSX.Element => (
  <div class="feed row-cards">
    <Table
      caption="Events by number, newest first"
      columns={[
        {
          head: "Type",
          cell: (event) => (
            <button type="button" class="plain-link" onClick={() => onOpen(event)}>
              {event.type}
            </button>
          ),
        },
        { head: "About", cell: (event) => <Subject of={event} /> },
        { head: "Change", cell: (event) => <span class="soft">{changeOf(event)}</span> },
        { head: "Number", cell: ({ seq }) => <span class="figures">{seq}</span>, isNumber: true },
        { head: "Time", cell: ({ timestamp }) => <Ago at={timestamp} />, isNumber: true },
      ]}
      rows={events}
      rowKey={({ id }) => id}
      isStale={isStale}
    />
  </div>
);

function Subject({ of }: { readonly of: FeedEvent }): JSX.Element {
  const { title, href } = subjectOf(of);
  const shown = <bdi>{title}</bdi>;
  return href === undefined ? shown : <a href={href}>{shown}</a>;
}

/** The changed fields, as in the event's body. */
const changeOf = ({ data: { object, previous = {} } }: FeedEvent): string =>
  Object.entries(previous)
    .map(([name, was]) => `${name}: ${was ?? "none"} → ${object[name] ?? "none"}`)
    .join(", ");
