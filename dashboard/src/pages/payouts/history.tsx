import type { JSX } from "preact";
import { api } from "../../api/client.ts";
import { ExportButton } from "../../components/export-button.tsx";
import { Money } from "../../components/numbers.tsx";
import { OpensRows } from "../../components/opens-rows.tsx";
import { Pagination } from "../../components/pagination.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { type Column, Table, TableSkeleton } from "../../components/table.tsx";
import { DayOf } from "../../components/time.tsx";
import { paramOf, useProgram } from "../../session.tsx";
import { payoutAddress, useFilters } from "../../url.ts";
import { PayoutBadge } from "./payout-badge.tsx";
import { type Payout, useNames, usePayouts } from "./queries.ts";

export function History(): JSX.Element {
  const { program } = useProgram();
  const [{ before }] = useFilters();
  const payouts = usePayouts(before);
  const nameOf = useNames();
  const columns: Column<Payout>[] = [
    {
      head: "Date",
      cell: ({ paidAt, canceledAt, createdAt }) => <DayOf at={paidAt ?? canceledAt ?? createdAt} />,
    },
    {
      head: "Reference",
      cell: ({ id, reference }) => (
        <a class="plain-link row-link clipped" title={reference} href={payoutAddress(program.id, id)}>
          {reference}
        </a>
      ),
    },
    {
      head: "Amount",
      isNumber: true,
      cell: ({ totalCents, returnedCents, currency }) => (
        <span class={returnedCents > 0 ? "two-lines" : undefined}>
          <Money amountCents={totalCents} currency={currency} />
          {returnedCents > 0 && (
            <small>
              <Money amountCents={returnedCents} currency={currency} /> returned
            </small>
          )}
        </span>
      ),
    },
    { head: "Partners", isNumber: true, cell: ({ lineCount }) => lineCount },
    { head: "Status", cell: ({ status }) => <PayoutBadge status={status} /> },
    {
      head: "By",
      cell: ({ confirmedBy, canceledBy, finalizedBy, createdBy }) =>
        nameOf(confirmedBy ?? canceledBy ?? finalizedBy ?? createdBy),
    },
  ];
  return (
    <section class="stack" aria-label="History">
      <div class="row spread">
        <h2>History</h2>
        {payouts.data !== undefined && payouts.data.data.length > 0 && (
          <ExportButton
            label="Export payouts"
            call={() => api.programs[":programId"].payouts.$get({ param: paramOf(program), query: { format: "csv" } })}
          />
        )}
      </div>
      <Loaded query={payouts} skeleton={<TableSkeleton rows={4} />}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <Empty title="No payouts yet">Each payout appears here with its lines and who recorded it.</Empty>
          ) : (
            <OpensRows>
              <div class="payouts row-cards">
                <Table
                  caption="Payouts"
                  columns={columns}
                  rows={data}
                  rowKey={({ id }) => id}
                  isStale={payouts.isBusy}
                />
              </div>
              <Pagination nextCursor={meta.nextCursor} of="before" />
            </OpensRows>
          )
        }
      </Loaded>
    </section>
  );
}
