import type { JSX } from "preact";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Chart } from "../../components/chart.tsx";
import { Count, ShortMoney, Trend } from "../../components/numbers.tsx";
import { Empty } from "../../components/states.tsx";
import { formatDay, formatMoney } from "../../format.ts";
import { zoneTitle } from "../../format-time.ts";
import { locale } from "../../locale.ts";
import { useProgram } from "../../session.tsx";
import { programAddress, useFilters } from "../../url.ts";
import { Days } from "./days.tsx";
import type { Day, Metrics, Performance } from "./queries.ts";

interface Metric {
  readonly name: string;
  readonly title: string;
  readonly total: (metrics: Metrics) => number;
  readonly trend: (metrics: Metrics) => Metrics["clicksTrend"];
  readonly ofDay: (day: Day) => number;
  readonly isMoney?: boolean;
}

const clicks: Metric = {
  name: "clicks",
  title: "Clicks",
  total: ({ totalClicks }) => totalClicks,
  trend: ({ clicksTrend }) => clicksTrend,
  ofDay: (day) => day.clicks,
};
const metrics: readonly Metric[] = [
  clicks,
  {
    name: "leads",
    title: "Leads",
    total: ({ totalLeads }) => totalLeads,
    trend: ({ leadsTrend }) => leadsTrend,
    ofDay: (day) => day.leads,
  },
  {
    name: "sales",
    title: "Sales",
    total: ({ totalSales }) => totalSales,
    trend: ({ salesTrend }) => salesTrend,
    ofDay: (day) => day.sales,
  },
  {
    name: "revenue",
    title: "Revenue",
    total: ({ totalRevenueCents }) => totalRevenueCents,
    trend: ({ revenueTrend }) => revenueTrend,
    ofDay: (day) => day.revenueCents,
    isMoney: true,
  },
  {
    name: "commission",
    title: "Commission",
    total: ({ totalCommissionCents }) => totalCommissionCents,
    trend: ({ commissionTrend }) => commissionTrend,
    ofDay: (day) => day.commissionCents,
    isMoney: true,
  },
];

interface TrendsProps {
  readonly performance: Performance;
  readonly isStale: boolean;
}

export function Trends({ performance, isStale }: TrendsProps): JSX.Element {
  const { data, metrics: figures, meta } = performance;
  const [{ show }, setFilters] = useFilters();
  const shown = metrics.find(({ name }) => name === show) ?? clicks;
  const { currency, previousPeriod, timezone } = meta;
  const isEmpty = metrics.every(({ total }) => total(figures) === 0) && figures.totalOrganicSales === 0;
  return (
    <section class="card trends" aria-label="Key metrics" aria-busy={isStale && isEmpty}>
      <div class="tiles">
        {metrics.map(({ name, title, total, trend, isMoney }) => (
          <button
            key={name}
            type="button"
            class="tile"
            aria-pressed={name === shown.name}
            onClick={() => setFilters({ show: name })}
          >
            <span class="tile-title">{title}</span>
            <strong class="tile-value">
              {isMoney ? (
                <ShortMoney amountCents={total(figures)} currency={currency} />
              ) : (
                <Count of={total(figures)} />
              )}
            </strong>
            <span class="tile-trend">{previousPeriod === null ? "\u00a0" : <Trend {...trend(figures)} />}</span>
          </button>
        ))}
      </div>
      <div class="trends-chart">
        {isEmpty ? (
          <NoActivity />
        ) : (
          <Chart
            label={`${shown.title} per day`}
            days={data.map(({ date }) => date)}
            series={[{ title: shown.title, tone: "accent", values: data.map(shown.ofDay) }]}
            {...(shown.isMoney && { format: (cents: number) => formatMoney(cents, currency) })}
          />
        )}
      </div>
      <footer class="trends-foot soft">
        <p>
          {formatDay(meta.dateFrom)} to {formatDay(meta.dateTo)}, {zoneTitle(timezone)} time.
          {previousPeriod !== null &&
            ` Compared with ${formatDay(previousPeriod.dateFrom)} to ${formatDay(previousPeriod.dateTo)}.`}
          {meta.otherCurrencies.length > 0 &&
            ` Amounts in ${currency}. You also have sales in ${new Intl.ListFormat(locale).format(meta.otherCurrencies)}.`}
        </p>
        {!isEmpty && <Days performance={performance} />}
      </footer>
    </section>
  );
}

function NoActivity(): JSX.Element {
  const { program, isArchived } = useProgram();
  const [{ partnerId }, setFilters] = useFilters();
  if (partnerId !== undefined)
    return (
      <Empty
        title="No activity from this partner in this period"
        action={<Button onClick={() => setFilters({ partnerId: undefined })}>Show all partners</Button>}
      >
        Clicks on the partner's link appear here, along with the sign-ups and sales they lead to.
      </Empty>
    );
  if (isArchived) return <Empty title="No activity in this period">Choose a longer period.</Empty>;
  return (
    <Empty
      title="No activity in this period"
      action={<ButtonLink href={programAddress(program.id, "setup")}>Go to Setup</ButtonLink>}
    >
      The first click on a partner's link appears here. Choose a longer period, or check Setup for missing steps. Test
      events aren't counted.
    </Empty>
  );
}
