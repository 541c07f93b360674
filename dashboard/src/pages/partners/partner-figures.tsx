import type { JSX } from "preact";
import { Filters, Segments } from "../../components/filters.tsx";
import { Count, Percent } from "../../components/numbers.tsx";
import { CurrencyFilter, PeriodFilter } from "../../components/period-filter.tsx";
import { reasonsOf } from "../../reasons/reasons-address.ts";
import { WhyMoney } from "../../reasons/why-money.tsx";
import { useFilters } from "../../url.ts";
import { MetricChart } from "../overview/metric-chart.tsx";
import { clicks, metrics, salesPerClick } from "../overview/metrics.ts";
import type { Performance } from "../overview/queries.ts";

interface PartnerFiguresProps {
  readonly partnerId: string;
  readonly performance: Performance;
  readonly isStale: boolean;
}

export function PartnerFigures({ partnerId, performance, isStale }: PartnerFiguresProps): JSX.Element {
  const { metrics: figures, meta } = performance;
  const [{ show }, setFilters] = useFilters();
  const shown = metrics.find(({ name }) => name === show) ?? clicks;
  return (
    <section class={isStale ? "card stale" : "card"} aria-label="Performance" aria-busy={isStale}>
      <Filters>
        <PeriodFilter shown={meta} />
        <CurrencyFilter others={meta.otherCurrencies} />
        <Segments
          label="Chart"
          value={shown.name}
          options={metrics.map(({ name, title }) => [name, title])}
          onChoose={(chosen) => setFilters({ show: chosen }, "replace")}
        />
      </Filters>
      <dl class="partner-tiles">
        {metrics.map(({ name, title, total, isMoney }) => (
          <div key={name}>
            <dt>{title}</dt>
            <dd>
              {isMoney ? (
                <WhyMoney
                  amountCents={total(figures)}
                  currency={meta.currency}
                  of={reasonsOf("figure", name, partnerId)}
                  what={title.toLowerCase()}
                />
              ) : (
                <Count of={total(figures)} />
              )}
            </dd>
          </div>
        ))}
        <div>
          <dt>{salesPerClick}</dt>
          <dd>
            <Percent of={figures.conversionRate} />
          </dd>
        </div>
      </dl>
      <MetricChart performance={performance} before={undefined} shown={shown} />
    </section>
  );
}
