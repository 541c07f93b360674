import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Delivery, Webhook } from "../../../api/types.ts";
import { Badge } from "../../../components/badge.tsx";
import { Card } from "../../../components/card.tsx";
import { Filters, Segments } from "../../../components/filters.tsx";
import { Count } from "../../../components/numbers.tsx";
import { Pagination } from "../../../components/pagination.tsx";
import { Empty, Loaded } from "../../../components/states.tsx";
import { Table, TableSkeleton } from "../../../components/table.tsx";
import { Ago } from "../../../components/time.tsx";
import { useFilters } from "../../../url.ts";
import { DeliveryPanel } from "./delivery-panel.tsx";
import { deliveryStatuses, useDeliveries } from "./queries.ts";
import { answerTitle, statusTitles, statusTones } from "./words.ts";

export function Deliveries({ of }: { readonly of: Webhook }): JSX.Element {
  const [filters, setFilters] = useFilters();
  const { status = "" } = filters;
  const deliveries = useDeliveries(of, filters);
  const [openedId, setOpenedId] = useState<string>();
  const opened = deliveries.data?.data.find(({ eventId }) => eventId === openedId);
  return (
    <Card
      title="Deliveries"
      lead="The last seven days, most recently attempted first. Failed ones show your server's response."
    >
      <Filters>
        <Segments
          label="Status"
          value={status}
          options={[["", "All"], ...deliveryStatuses.map((each) => [each, statusTitles[each]] as const)]}
          onChoose={(chosen) => setFilters({ status: chosen })}
        />
      </Filters>
      <Loaded query={deliveries} skeleton={<TableSkeleton rows={5} />}>
        {({ data, meta }) => (
          <>
            {data.length === 0 ? (
              <NoDeliveries isFiltered={status !== ""} />
            ) : (
              <DeliveryTable deliveries={data} isStale={deliveries.isStale} onOpen={setOpenedId} />
            )}
            <Pagination nextCursor={meta.nextCursor} first="First page" next="Next page" />
          </>
        )}
      </Loaded>
      {opened && <DeliveryPanel webhook={of} of={opened} onClose={() => setOpenedId(undefined)} />}
    </Card>
  );
}

const NoDeliveries = ({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element =>
  isFiltered ? (
    <Empty title="No such deliveries">No delivery of the last seven days has this status.</Empty>
  ) : (
    <Empty title="No deliveries yet">Events appear here once they are sent. Send an example to try it.</Empty>
  );

interface DeliveryTableProps {
  readonly deliveries: readonly Delivery[];
  readonly isStale: boolean;
  readonly onOpen: (eventId: string) => void;
}

const DeliveryTable = ({ deliveries, isStale, onOpen }: DeliveryTableProps): JSX.Element => (
  <div class="delivery-list row-cards">
    <Table
      caption="Deliveries, last tried first"
      columns={[
        {
          head: "Event",
          cell: ({ eventId, type, seq }) => (
            <span class="two-lines">
              <button type="button" class="plain-link" onClick={() => onOpen(eventId)}>
                {type}
              </button>
              <small>{seq === null ? "Example" : `Number ${seq}`}</small>
            </span>
          ),
        },
        { head: "Status", cell: ({ status }) => <Badge tone={statusTones[status]}>{statusTitles[status]}</Badge> },
        { head: "Answer", cell: (delivery) => <LastAnswer of={delivery} /> },
        { head: "Attempts", cell: ({ attempts }) => <Count of={attempts.length} />, isNumber: true },
        {
          head: "Last attempt",
          cell: ({ attempts }) => <LastAttempt at={attempts.at(-1)?.at} />,
          isNumber: true,
        },
      ]}
      rows={deliveries}
      rowKey={({ eventId }) => eventId}
      isStale={isStale}
    />
  </div>
);

const LastAttempt = ({ at }: { readonly at: string | undefined }): JSX.Element =>
  at === undefined ? <span class="soft">Not known</span> : <Ago at={at} />;

function LastAnswer({ of: { attempts } }: { readonly of: Delivery }): JSX.Element | null {
  const last = attempts.at(-1);
  if (last === undefined) return null;
  return (
    <span class="answer" title={last.response}>
      {answerTitle(last)}
      {last.response !== "" && (
        <span class="soft">
          {" "}
          <bdi>{last.response}</bdi>
        </span>
      )}
    </span>
  );
}
