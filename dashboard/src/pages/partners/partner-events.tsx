import type { JSX } from "preact";
import type { TrackedEvent } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { OpensRows } from "../../components/opens-rows.tsx";
import { Pagination } from "../../components/pagination.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { type Column, Table, TableSkeleton } from "../../components/table.tsx";
import { Instant } from "../../components/time.tsx";
import { explainAddress, explainQueryOf } from "../../explain-address.ts";
import { useProgram } from "../../session.tsx";
import { useFilters } from "../../url.ts";
import { Amount, kindTones, outcomeOf, subjectOf, typeOf } from "../events/event-labels.tsx";
import { eventKey, useEvents } from "../events/queries.ts";

export function PartnerEvents({ partnerId }: { readonly partnerId: string }): JSX.Element {
  const { program } = useProgram();
  const [{ cursor }] = useFilters();
  const events = useEvents({ partnerId, cursor });
  const columns: readonly Column<TrackedEvent>[] = [
    {
      head: "Event",
      cell: (event) => <Badge tone={kindTones[event.event_type]}>{typeOf(event)}</Badge>,
    },
    {
      head: "Details",
      cell: (event) => (
        <a class="plain-link row-link clipped" href={explainAddress(program.id, explainQueryOf(event))}>
          <bdi>{subjectOf(event)}</bdi>
        </a>
      ),
    },
    { head: "Outcome", cell: (event) => outcomeOf(event) && <span class="soft">{outcomeOf(event)}</span> },
    { head: "Amount", isNumber: true, cell: (event) => <Amount event={event} /> },
    { head: "Time", isNumber: true, cell: ({ timestamp }) => <Instant at={timestamp} /> },
  ];
  return (
    <Loaded query={events} skeleton={<TableSkeleton rows={8} />}>
      {({ data, meta }) =>
        data.length === 0 ? (
          <Empty title="No events yet">Clicks on this partner's link, and what follows from them, appear here.</Empty>
        ) : (
          <>
            <OpensRows>
              <Table caption="Events, newest first" columns={columns} rows={data} rowKey={eventKey} />
            </OpensRows>
            <Pagination nextCursor={meta.pagination.nextCursor} />
          </>
        )
      }
    </Loaded>
  );
}
