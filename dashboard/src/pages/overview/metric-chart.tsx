import type { JSX } from "preact";
import { dayIn } from "#domain/calendar.ts";
import { Chart } from "../../components/chart.tsx";
import { formatCount, formatDay, formatMoney, formatScale } from "../../format.ts";
import { formatDays, type Step, stepsOf } from "../../period.ts";
import type { Metric } from "./metrics.ts";
import type { Before, Day, Performance } from "./queries.ts";

interface MetricChartProps {
  readonly performance: Performance;
  readonly before: Before;
  readonly shown: Metric;
}

export function MetricChart({ performance: { data, meta }, before, shown }: MetricChartProps): JSX.Element {
  const steps = stepsOf(data.map(({ date }) => date));
  const values = sumsOf(data, steps, shown);
  const earlier = before && sumsOf(before.data, steps, shown);
  const money = {
    format: (cents: number) => formatMoney(cents, meta.currency),
    formatAxis: (cents: number) => formatScale(cents, meta.currency),
  };
  return (
    <Chart
      label={`${shown.title} per ${steps.unit}`}
      days={steps.groups.map(([first]) => data[first]?.date ?? "")}
      titles={steps.groups.map(([first, last]) => stepTitle(data.slice(first, last + 1)))}
      isLastOpen={meta.dateTo === dayIn(meta.timezone, Date.now())}
      series={[
        { title: shown.title, tone: "accent", values },
        ...(earlier === undefined ? [] : [{ title: "Before", tone: "faint" as const, values: earlier }]),
      ]}
      {...(shown.isMoney ? money : { format: formatCount, formatAxis: (count: number) => formatScale(count) })}
    />
  );
}

/** Sums of a metric, one for each point of the chart. Null if `days` ends before the point. */
const sumsOf = (days: readonly Day[], { groups }: Step, { ofDay }: Metric): (number | null)[] =>
  groups.map(([first, last]) => {
    const some = days.slice(first, last + 1);
    return some.length === 0 ? null : some.reduce((sum, day) => sum + ofDay(day), 0);
  });

const stepTitle = (days: readonly Day[]): string => formatDays(days[0]?.date ?? "", days.at(-1)?.date ?? "", formatDay);
