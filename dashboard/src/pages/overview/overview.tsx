import "./overview.css";
import type { JSX } from "preact";
import { DayFilter, Filters, SelectFilter } from "../../components/filters.tsx";
import { PartnerFilter } from "../../components/partner-filter.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { useProgram } from "../../session.tsx";
import { useFilters } from "../../url.ts";
import { Facts } from "./facts.tsx";
import { hasActivity, metrics } from "./metrics.ts";
import { comparisonOf, comparisons, movedRange, periods } from "./period.ts";
import {
  type Overview,
  type Performance,
  useBefore,
  useOverview,
  usePerformance,
  useRange,
  useTopPartners,
} from "./queries.ts";
import { Sources } from "./sources.tsx";
import { Attention, Standing } from "./standing.tsx";
import { TopPartners } from "./top-partners.tsx";
import { Trends } from "./trends.tsx";

export default function OverviewPage(): JSX.Element {
  const [filters] = useFilters();
  const range = useRange(filters);
  const performance = usePerformance(filters, range);
  const before = useBefore(filters, range.before);
  const overview = useOverview(filters, range);
  const partners = useTopPartners(filters, range);
  // Both at first, so that nothing moves.
  const isReady = overview.data !== undefined || overview.failure !== undefined;
  return (
    <>
      <header class="page-head">
        <h1>Overview</h1>
      </header>
      <Narrowed meta={performance.data?.meta} partner={overview.data?.meta.partner ?? null} />
      <Loaded query={isReady ? performance : { ...performance, data: undefined }} skeleton={<OverviewSkeleton />}>
        {(found) => (
          <>
            {overview.data !== undefined && <Attention data={overview.data.data} />}
            <Trends performance={found} before={before} isStale={performance.isStale} />
            {overview.data !== undefined && <Standing commissions={overview.data.data.commissions} />}
            <Facts performance={found} />
            {hasActivity(found.metrics) && (
              <div class="tops">
                <Loaded query={partners} skeleton={<CardSkeleton />}>
                  {({ data, meta }) => <TopPartners partners={data} currency={meta.currency} />}
                </Loaded>
                <Loaded query={overview} skeleton={<CardSkeleton />}>
                  {(known) => <Sources overview={known} />}
                </Loaded>
              </div>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

interface NarrowedProps {
  readonly meta: Performance["meta"] | undefined;
  readonly partner: Overview["meta"]["partner"];
}

function Narrowed({ meta, partner }: NarrowedProps): JSX.Element {
  const { program } = useProgram();
  const [filters, setFilters] = useFilters();
  const { period, days } = useRange(filters);
  const { partnerId = "", currency = program.currency } = filters;
  const currencies = new Set([program.currency, currency, ...(meta?.otherCurrencies ?? [])]);
  const choosePeriod = (chosen: string) =>
    setFilters(
      chosen === "custom"
        ? { period: undefined, dateFrom: meta?.dateFrom, dateTo: meta?.dateTo }
        : { period: chosen, dateFrom: undefined, dateTo: undefined },
    );
  const move = (end: "dateFrom" | "dateTo") => (day: string) => {
    if (days !== undefined && day !== "")
      setFilters(movedRange({ dateFrom: days.from, dateTo: days.to, [end]: day }, end));
  };
  return (
    <Filters>
      <SelectFilter label="Period" value={period} options={periods} onChoose={choosePeriod} />
      {period === "custom" && days !== undefined && (
        <>
          <DayFilter label="From" value={days.from} onChoose={move("dateFrom")} />
          <DayFilter label="To" value={days.to} onChoose={move("dateTo")} />
        </>
      )}
      {period !== "all" && (
        <SelectFilter
          label="Comparison"
          value={comparisonOf(filters)}
          options={comparisons}
          onChoose={(compare) => setFilters({ compare: compare === "before" ? undefined : compare })}
        />
      )}
      <PartnerFilter value={partnerId} known={partner} onChoose={(chosen) => setFilters({ partnerId: chosen })} />
      <SelectFilter
        label="Currency"
        value={currency}
        options={[...currencies].map((code) => [code, code])}
        onChoose={(chosen) => setFilters({ currency: chosen === program.currency ? undefined : chosen })}
      />
    </Filters>
  );
}

const CardSkeleton = (): JSX.Element => (
  <div class="card">
    <Skeleton lines={6} />
  </div>
);

const OverviewSkeleton = (): JSX.Element => (
  <div class="stack overview-waiting">
    <div class="card trends">
      <div class="tiles">
        {metrics.map(({ title }) => (
          <span key={title} class="tile">
            <Skeleton lines={2} />
          </span>
        ))}
      </div>
      <div class="trends-chart">
        <div class="chart-waiting" />
      </div>
      <div class="trends-foot">
        <p>&nbsp;</p>
        <p>&nbsp;</p>
      </div>
    </div>
    <div class="card facts-waiting">
      <Skeleton lines={4} />
    </div>
  </div>
);
