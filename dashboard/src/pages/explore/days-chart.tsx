import type { JSX } from "preact";
import { dayIn } from "#domain/calendar.ts";
import { listDays } from "#domain/performance.ts";
import { Chart } from "../../components/chart.tsx";
import { Loaded } from "../../components/states.tsx";
import { formatCount, formatMoney, formatScale } from "../../format.ts";
import type { Measure } from "./measures.ts";
import { type Groups, type Query, useDays } from "./queries.ts";

interface Line {
  readonly title: string;
  readonly query: Query;
}

interface DaysChartProps {
  /** One line, or two in the same chart. */
  readonly lines: readonly Line[];
  readonly measure: Measure;
}

const tones = ["accent", "warn"] as const;

export function DaysChart({ lines, measure }: DaysChartProps): JSX.Element {
  const days = useDays(lines.map(({ query }) => query));
  return (
    <Loaded query={days} skeleton={<div class="chart-waiting" />}>
      {(found) => <Drawn found={found} titles={lines.map(({ title }) => title)} measure={measure} />}
    </Loaded>
  );
}

interface DrawnProps {
  readonly found: readonly Groups[];
  readonly titles: readonly string[];
  readonly measure: Measure;
}

function Drawn({ found, titles, measure }: DrawnProps): JSX.Element | null {
  const meta = found[0]?.meta;
  if (meta === undefined || meta.dateFrom === null || meta.dateTo === null) return null;
  const { currency, dateFrom: from, dateTo: to } = meta;
  const days = listDays({ from, to });
  const money = {
    format: (cents: number) => formatMoney(cents, currency),
    formatAxis: (cents: number) => formatScale(cents, currency),
  };
  return (
    <Chart
      label={`${measure.title} per day`}
      days={days}
      isLastOpen={to === dayIn(meta.timezone, Date.now())}
      series={found.slice(0, tones.length).map(({ data }, i) => {
        const byDay = new Map(data.map((each) => [each.group, measure.of(each)]));
        return {
          title: titles[i] ?? "",
          tone: tones[i] ?? "accent",
          values: days.map((day) => byDay.get(day) ?? 0),
        };
      })}
      {...(measure.isMoney ? money : { format: formatCount, formatAxis: (count: number) => formatScale(count) })}
    />
  );
}
