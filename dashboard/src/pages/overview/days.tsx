import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Count, Money } from "../../components/numbers.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatDay } from "../../format.ts";
import type { Day, Performance } from "./queries.ts";

const columnsIn = (currency: string): readonly Column<Day>[] => {
  const counted = (head: string, of: (day: Day) => number): Column<Day> => ({
    head,
    cell: (day) => <Count of={of(day)} />,
    isNumber: true,
  });
  const money = (head: string, of: (day: Day) => number): Column<Day> => ({
    head,
    cell: (day) => <Money amountCents={of(day)} currency={currency} />,
    isNumber: true,
  });
  return [
    { head: "Day", cell: ({ date }) => formatDay(date) },
    counted("Clicks", ({ clicks }) => clicks),
    counted("Visitors", ({ uniqueClicks }) => uniqueClicks),
    counted("Leads", ({ leads }) => leads),
    counted("Sales", ({ sales }) => sales),
    money("Revenue", ({ revenueCents }) => revenueCents),
    money("Refunded", ({ refundedCents }) => refundedCents),
    money("Commission", ({ commissionCents }) => commissionCents),
    counted("Organic sales", ({ organicSales }) => organicSales),
  ];
};

/** Renders the rows of the table only while the table is open. */
export function Days({ performance: { data, meta } }: { readonly performance: Performance }): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="days" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>View as table</summary>
      {isOpen && (
        <Table
          caption="Daily figures, newest first"
          columns={columnsIn(meta.currency)}
          rows={data.toReversed()}
          rowKey={({ date }) => date}
        />
      )}
    </details>
  );
}
