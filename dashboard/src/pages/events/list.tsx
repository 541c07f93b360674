import type { JSX } from "preact";
import type { TrackedEvent } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Count } from "../../components/numbers.tsx";
import { Pagination } from "../../components/pagination.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Ago } from "../../components/time.tsx";
import { explainAddress, explainQueryOf } from "../../explain-address.ts";
import { zoneName } from "../../format-time.ts";
import { useProgram } from "../../session.tsx";
import { Amount, kindTones, outcomeOf, subjectOf, typeOf } from "./event-labels.tsx";
import { useLive } from "./live.ts";
import { type Events, eventKey } from "./queries.ts";

interface EventListProps {
  readonly latest: Events;
  readonly isStale: boolean;
}

export function EventList({ latest, isStale }: EventListProps): JSX.Element {
  const { shown, fresh, waiting, show } = useLive(latest);
  const { program } = useProgram();
  const { total, nextCursor } = shown.meta.pagination;
  const columns: readonly Column<TrackedEvent>[] = [
    {
      head: "Event",
      cell: (event) => (
        <span class="event-kind">
          <a class="event-link" href={explainAddress(program.id, explainQueryOf(event))}>
            <Badge tone={kindTones[event.event_type]}>{typeOf(event)}</Badge>
            <span class="unseen">
              {" "}
              {subjectOf(event)}
              {fresh.has(eventKey(event)) && ", new"}
            </span>
          </a>
          {event.is_test && <Badge tone="warn">Test</Badge>}
        </span>
      ),
    },
    {
      head: "Details",
      cell: (event) => (
        <span class="event-subject" title={subjectOf(event)}>
          <bdi>{subjectOf(event)}</bdi>
        </span>
      ),
    },
    {
      head: "Partner",
      cell: ({ partnerCode: code }) => (code === null ? <span class="faint">None</span> : <code>{code}</code>),
    },
    { head: "Outcome", cell: (event) => <span class="soft">{outcomeOf(event)}</span> },
    { head: "Amount", cell: (event) => <Amount event={event} />, isNumber: true },
    {
      head: `Time (${zoneName(program.timezone, Date.now())})`,
      cell: ({ timestamp }) => <Ago at={timestamp} />,
      isNumber: true,
    },
  ];
  const showAll = () => {
    show();
    scrollTo({ top: 0 });
    document.getElementById("main")?.focus({ preventScroll: true });
  };
  return (
    <div class="stack event-list">
      <p class="list-head soft">
        <Count of={total} /> {total === 1 ? "event" : "events"}
      </p>
      <div class="waiting" role="status">
        {waiting > 0 && (
          <Button look="primary" onClick={showAll}>
            {waiting >= latest.data.length ? `${waiting} or more` : waiting} new {waiting === 1 ? "event" : "events"}
          </Button>
        )}
      </div>
      <Table
        caption="Events, newest first"
        columns={columns}
        rows={shown.data}
        rowKey={eventKey}
        rowClass={(event) => (fresh.has(eventKey(event)) ? "event fresh" : event.is_test ? "event test" : "event")}
        isStale={isStale}
      />
      <Pagination nextCursor={nextCursor} />
    </div>
  );
}
