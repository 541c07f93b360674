import type { JSX } from "preact";
import { Chart } from "../../components/chart.tsx";
import { Filters, Segments } from "../../components/filters.tsx";
import { Count, Money, Percent } from "../../components/numbers.tsx";
import { formatList, formatMoney } from "../../format.ts";
import { useFilters } from "../../url.ts";
import { type PartnerPerformance, periods } from "./queries.ts";

type Day = PartnerPerformance["data"][number];

const charts: readonly { name: string; title: string; of: (day: Day) => number; isMoney?: boolean }[] = [
  { name: "clicks", title: "Clicks", of: ({ clicks }) => clicks },
  { name: "sales", title: "Sales", of: ({ sales }) => sales },
  { name: "revenue", title: "Revenue", of: ({ revenueCents }) => revenueCents, isMoney: true },
  { name: "commission", title: "Commission", of: ({ commissionCents }) => commissionCents, isMoney: true },
];

export function PartnerFigures({ performance }: { readonly performance: PartnerPerformance }): JSX.Element {
  const { data, metrics, meta } = performance;
  const [{ show, period }, setFilters] = useFilters();
  const [first] = charts;
  const shown = charts.find(({ name }) => name === show) ?? first;
  const { currency } = meta;
  const tiles: readonly (readonly [title: string, figure: JSX.Element])[] = [
    ["Clicks", <Count key="clicks" of={metrics.totalClicks} />],
    ["Leads", <Count key="leads" of={metrics.totalLeads} />],
    ["Sales", <Count key="sales" of={metrics.totalSales} />],
    ["Conversion", <Percent key="conversion" of={metrics.conversionRate} />],
    ["Revenue", <Money key="revenue" amountCents={metrics.totalRevenueCents} currency={currency} />],
    ["Commission", <Money key="commission" amountCents={metrics.totalCommissionCents} currency={currency} />],
  ];
  return (
    <section class="card" aria-label="Performance">
      <Filters>
        <Segments
          label="Period"
          value={periods.find(([name]) => name === period)?.[0] ?? "30d"}
          options={periods}
          onChoose={(chosen) => setFilters({ period: chosen })}
        />
        <Segments
          label="Chart"
          value={shown?.name ?? ""}
          options={charts.map(({ name, title }) => [name, title])}
          onChoose={(chosen) => setFilters({ show: chosen })}
        />
      </Filters>
      <dl class="partner-tiles">
        {tiles.map(([title, figure]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{figure}</dd>
          </div>
        ))}
      </dl>
      {shown && (
        <Chart
          label={`${shown.title} per day`}
          days={data.map(({ date }) => date)}
          series={[{ title: shown.title, tone: "accent", values: data.map(shown.of) }]}
          {...(shown.isMoney && { format: (cents: number) => formatMoney(cents, currency) })}
        />
      )}
      {meta.otherCurrencies.length > 0 && (
        <p class="partner-note soft">
          Amounts in {currency}. There are also amounts in {formatList(meta.otherCurrencies)}.
        </p>
      )}
    </section>
  );
}
