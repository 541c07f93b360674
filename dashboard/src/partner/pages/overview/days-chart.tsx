import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Chart } from "../../../components/chart.tsx";
import { Segments } from "../../../components/filters.tsx";
import { Count, Money } from "../../../components/numbers.tsx";
import { Table } from "../../../components/table.tsx";
import { formatCount, formatDate, formatMoney, formatScale } from "../../../format.ts";
import { formatDays, stepsOf } from "../../../period.ts";
import type { Day } from "./queries.ts";

const metrics = [
  ["commissionCents", "Earned"],
  ["clicks", "Clicks"],
  ["sales", "Sales"],
] as const;

interface DaysChartProps {
  readonly days: readonly Day[];
  readonly currency: string;
}

export function DaysChart({ days, currency }: DaysChartProps): JSX.Element {
  const [metric, setMetric] = useState<(typeof metrics)[number]>(metrics[0]);
  const [shown, title] = metric;
  const isMoney = shown === "commissionCents";
  const dates = days.map(({ date }) => date);
  const { unit, groups } = stepsOf(dates);
  const dateOf = (i: number) => dates[i] ?? "";
  return (
    <>
      <div class="filters">
        <Segments
          label="Shown"
          value={shown}
          options={metrics}
          onChoose={(chosen) => setMetric(metrics.find(([name]) => name === chosen) ?? metrics[0])}
        />
      </div>
      <Chart
        label={`${title} by ${unit}`}
        days={groups.map(([first]) => dateOf(first))}
        series={[
          {
            title,
            tone: "accent",
            values: groups.map(([first, last]) =>
              days.slice(first, last + 1).reduce((all, day) => all + day[shown], 0),
            ),
          },
        ]}
        {...(unit !== "day" && { titles: groups.map(([first, last]) => formatDays(dateOf(first), dateOf(last))) })}
        isLastOpen
        format={isMoney ? (value) => formatMoney(value, currency) : formatCount}
        formatAxis={(value) => formatScale(value, isMoney ? currency : undefined)}
      />
      <DaysTable days={days} currency={currency} />
    </>
  );
}

/** A table of the days with activity; others are left out to keep it readable. */
function DaysTable({ days, currency }: DaysChartProps): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  const busy = days.filter(({ date: _, ...figures }) => Object.values(figures).some(Boolean));
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary class="plain-summary">Days as a table</summary>
      {isOpen && (
        <Table
          caption="Days with clicks, leads or sales, newest first"
          columns={[
            { head: "Day", cell: ({ date }) => formatDate(date) },
            { head: "Clicks", isNumber: true, cell: ({ clicks }) => <Count of={clicks} /> },
            { head: "Visitors", isNumber: true, cell: ({ uniqueClicks }) => <Count of={uniqueClicks} /> },
            { head: "Leads", isNumber: true, cell: ({ leads }) => <Count of={leads} /> },
            { head: "Sales", isNumber: true, cell: ({ sales }) => <Count of={sales} /> },
            {
              head: "Earned",
              isNumber: true,
              cell: ({ commissionCents }) => <Money amountCents={commissionCents} currency={currency} />,
            },
          ]}
          rows={busy.toReversed()}
          rowKey={({ date }) => date}
        />
      )}
    </details>
  );
}
