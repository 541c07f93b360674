import "./requests.css";
import type { JSX } from "preact";
import { type RequestOutcome, requestOutcomes, trackingRoutes } from "#domain/request-log.ts";
import type { LoggedRequest } from "../../../api/types.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { ButtonLink } from "../../../components/button.tsx";
import { Filters } from "../../../components/filters.tsx";
import { Pagination } from "../../../components/pagination.tsx";
import { SelectParam } from "../../../components/param-filters.tsx";
import { SearchFilter } from "../../../components/search-filter.tsx";
import { Empty, Loaded } from "../../../components/states.tsx";
import { Table, TableSkeleton } from "../../../components/table.tsx";
import { Ago } from "../../../components/time.tsx";
import { explainAddress } from "../../../explain-address.ts";
import { formatCount } from "../../../format.ts";
import { reasonLabels } from "../../../outcome-labels.ts";
import { useProgram } from "../../../session.tsx";
import { programAddress, useFilters } from "../../../url.ts";
import { NoMatches } from "../no-matches.tsx";
import { Sections } from "../sections.tsx";
import { requestQuery, useRequests } from "./queries.ts";

const outcomes: Readonly<Record<RequestOutcome, readonly [title: string, tone: Tone]>> = {
  recorded: ["Recorded", "good"],
  duplicate: ["Duplicate", "plain"],
  conflict: ["Conflict", "bad"],
  unattributed: ["Not attributed", "warn"],
  refused: ["Refused", "bad"],
  unavailable: ["Unavailable", "bad"],
};

const eventOf = (route: string): string => {
  const name = route.slice(route.lastIndexOf("/") + 1);
  return name.charAt(0).toUpperCase() + name.slice(1);
};

export default function Requests(): JSX.Element {
  const [filters] = useFilters();
  const requests = useRequests(filters);
  return (
    <>
      <header class="page-head">
        <h1>Events</h1>
      </header>
      <Sections current="requests" />
      <p class="soft">Tracking calls of the last 7 days that had an API key or were refused, up to 20,000 calls.</p>
      <RequestFilters />
      <Loaded query={requests} skeleton={<TableSkeleton rows={12} />}>
        {({ data, meta: { nextCursor, dropped } }) => (
          <div class="stack">
            {data.length === 0 ? <NoRequests /> : <RequestTable calls={data} isStale={requests.isStale} />}
            {dropped > 0 && (
              <p class="soft">
                {formatCount(dropped)} {dropped === 1 ? "call" : "calls"} of the last 7 days could not be stored.
              </p>
            )}
            <Pagination nextCursor={nextCursor} />
          </div>
        )}
      </Loaded>
    </>
  );
}

const RequestFilters = (): JSX.Element => (
  <Filters>
    <SelectParam
      name="outcome"
      label="Outcome"
      options={[["", "All outcomes"], ...requestOutcomes.map((each) => [each, outcomes[each][0]] as const)]}
    />
    <SelectParam
      name="route"
      label="Event"
      options={[["", "All events"], ...trackingRoutes.map((each) => [each, eventOf(each)] as const)]}
    />
    <SearchFilter name="transactionId" searched="Transaction ID" position="cursor" />
    <SearchFilter name="customerKey" searched="Customer key" position="cursor" />
    <SearchFilter name="requestId" searched="Request ID" position="cursor" />
  </Filters>
);

function NoRequests(): JSX.Element {
  const { program } = useProgram();
  const [filters] = useFilters();
  if (Object.keys(requestQuery(filters)).length > 0 || filters.cursor !== undefined)
    return (
      <NoMatches of="calls">
        No call of the last 7 days matches these filters. If you sent one, check the address and the key that your
        server uses.
      </NoMatches>
    );
  return (
    <Empty
      title="No calls yet"
      action={<ButtonLink href={programAddress(program.id, "setup")}>Go to Setup</ButtonLink>}
    >
      Send a lead or a sale from your server with the program's API key, and it appears here within seconds.
    </Empty>
  );
}

interface RequestTableProps {
  readonly calls: readonly LoggedRequest[];
  readonly isStale: boolean;
}

const RequestTable = ({ calls, isStale }: RequestTableProps): JSX.Element => (
  <div class="requests row-cards">
    <Table
      caption="Calls, newest first"
      columns={[
        {
          head: "Event",
          cell: ({ route, testMode }) => (
            <span class="row">
              {eventOf(route)}
              {testMode && <Badge tone="warn">Test</Badge>}
            </span>
          ),
        },
        { head: "Outcome", cell: ({ outcome }) => <Badge tone={outcomes[outcome][1]}>{outcomes[outcome][0]}</Badge> },
        { head: "Answer", cell: (call) => <span class="soft">{answerOf(call)}</span> },
        { head: "Transaction", cell: (call) => <Transaction of={call} /> },
        { head: "Key", cell: ({ keyName }) => keyName ?? <span class="soft">None</span> },
        { head: "Request ID", cell: ({ requestId }) => <code>{requestId}</code> },
        { head: "Time", cell: ({ at }) => <Ago at={at} />, isNumber: true },
      ]}
      rows={calls}
      rowKey={({ requestId, at, status }) => `${requestId} ${at} ${status}`}
      isStale={isStale}
    />
  </div>
);

const answerOf = ({ status, code }: LoggedRequest): string =>
  code === null ? String(status) : `${status}, ${reasonLabels[code] ?? code}`;

/** The call's transaction ID, with a link to the explanation of the sale if there may be one. */
function Transaction({ of }: { readonly of: LoggedRequest }): JSX.Element | null {
  const { program } = useProgram();
  const { transactionId, outcome, testMode } = of;
  if (transactionId === undefined) return null;
  const shown = <bdi>{transactionId}</bdi>;
  if (outcome === "refused" || outcome === "unavailable" || transactionId.startsWith("erased_")) return shown;
  const query = { transactionId, ...(testMode && { testMode: "true" as const }) };
  return <a href={explainAddress(program.id, query)}>{shown}</a>;
}
