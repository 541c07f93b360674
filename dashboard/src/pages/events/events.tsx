import "./events.css";
import type { JSX } from "preact";
import { useRoute } from "preact-iso/router";
import { ButtonLink } from "../../components/button.tsx";
import { DayFilter, Filters, Segments, SelectFilter } from "../../components/filters.tsx";
import { lazy } from "../../components/lazy.tsx";
import { PartnerFilter } from "../../components/partner-filter.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { TableSkeleton } from "../../components/table.tsx";
import { useProgram } from "../../session.tsx";
import { programAddress, useFilters } from "../../url.ts";
import { EventList } from "./list.tsx";
import { NoMatches } from "./no-matches.tsx";
import { eventQuery, useEvents } from "./queries.ts";
import { Sections } from "./sections.tsx";

const Customers = lazy(() => import("./customers/customers.tsx"), <TableSkeleton rows={12} />);

const Feed = lazy(() => import("./feed/feed.tsx"), <TableSkeleton rows={12} />);

const Requests = lazy(() => import("./requests/requests.tsx"), <TableSkeleton rows={12} />);

export default function EventsPage(): JSX.Element {
  const { item } = useRoute().params;
  if (item === "customers") return <Customers />;
  if (item === "feed") return <Feed />;
  return item === "requests" ? <Requests /> : <TrackedEvents />;
}

function TrackedEvents(): JSX.Element {
  const [filters] = useFilters();
  const events = useEvents(filters);
  const { isArchived } = useProgram();
  const isNewest = filters.cursor === undefined;
  return (
    <>
      <header class="page-head">
        <h1>Events</h1>
        {!isArchived && <p class="live">{isNewest ? <span class="live-on">Live</span> : "Older events, not live"}</p>}
      </header>
      <Sections />
      <Narrowed />
      <Loaded query={events} skeleton={<EventsSkeleton />}>
        {(found) => (found.data.length === 0 ? <NoEvents /> : <EventList latest={found} isStale={events.isStale} />)}
      </Loaded>
    </>
  );
}

const EventsSkeleton = (): JSX.Element => (
  <div class="stack">
    <p class="list-head">&nbsp;</p>
    <TableSkeleton rows={12} />
  </div>
);

function Narrowed(): JSX.Element {
  const [filters, setFilters] = useFilters();
  const { test, eventType = "" } = eventQuery(filters);
  const { dateFrom = "", dateTo = "", partnerId = "" } = filters;
  const move = (end: "dateFrom" | "dateTo") => (day: string, history: "push" | "replace") => {
    const next = { dateFrom, dateTo, [end]: day };
    const isCrossed = next.dateFrom !== "" && next.dateTo !== "" && next.dateFrom > next.dateTo;
    setFilters(isCrossed ? { dateFrom: day, dateTo: day } : next, history);
  };
  return (
    <Filters>
      <Segments
        label="Type"
        value={eventType}
        options={[
          ["", "All"],
          ["click", "Clicks"],
          ["lead", "Leads"],
          ["sale", "Sales"],
          ["refund", "Refunds, corrections"],
        ]}
        onChoose={(type) => setFilters({ type })}
      />
      <DayFilter label="From" value={dateFrom} onChoose={move("dateFrom")} />
      <DayFilter label="To" value={dateTo} onChoose={move("dateTo")} />
      <PartnerFilter value={partnerId} onChoose={(chosen) => setFilters({ partnerId: chosen })} />
      <SelectFilter
        label="Test events"
        value={test}
        options={[
          ["exclude", "Hide test events"],
          ["include", "Include test events"],
          ["only", "Only test events"],
        ]}
        onChoose={(chosen) => setFilters({ test: chosen === "exclude" ? undefined : chosen })}
      />
    </Filters>
  );
}

function NoEvents(): JSX.Element {
  const { program, isArchived } = useProgram();
  const [filters] = useFilters();
  const { test, ...narrowing } = eventQuery(filters);
  if (Object.keys(narrowing).length > 0 || filters.cursor !== undefined)
    return (
      <NoMatches of="events">
        No events match these filters. Dates are in the program's time zone, {program.timezone}.
      </NoMatches>
    );
  if (isArchived) return <Empty title="No events">Archived programs don't record new events.</Empty>;
  return (
    <Empty
      title={test === "only" ? "No test events yet" : "No events yet"}
      action={<ButtonLink href={programAddress(program.id, "setup")}>Go to Setup</ButtonLink>}
    >
      {test === "only"
        ? "Send a test click or run a verification in Setup, and it appears here."
        : "The first click on a partner's link appears here within seconds. Test events are hidden unless you include them."}
    </Empty>
  );
}
