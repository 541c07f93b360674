import "./overview.css";
import type { JSX } from "preact";
import { DayFilter, Filters, Segments, SelectFilter } from "../../components/filters.tsx";
import { PartnerFilter } from "../../components/partner-filter.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { useProgram } from "../../session.tsx";
import { programAddress, useFilters } from "../../url.ts";
import { Facts } from "./facts.tsx";
import { movedRange, periodQuery, periods } from "./period.ts";
import { type Performance, useIsVerified, usePerformance } from "./queries.ts";
import { Trends } from "./trends.tsx";

export default function Overview(): JSX.Element {
  const [filters] = useFilters();
  const performance = usePerformance(filters);
  return (
    <>
      <header class="page-head">
        <h1>Overview</h1>
        <Unverified />
      </header>
      <Narrowed meta={performance.data?.meta} />
      <Loaded query={performance} skeleton={<OverviewSkeleton />}>
        {(found) => (
          <>
            <Trends performance={found} isStale={performance.isLoading} />
            <Facts performance={found} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Unverified(): JSX.Element | null {
  const { program, isArchived } = useProgram();
  if (useIsVerified() !== false || isArchived) return null;
  return (
    <p class="unverified">
      Not verified yet. <a href={programAddress(program.id, "setup")}>Continue setup</a>
    </p>
  );
}

function Narrowed({ meta }: { readonly meta: Performance["meta"] | undefined }): JSX.Element {
  const { program } = useProgram();
  const [filters, setFilters] = useFilters();
  const query = periodQuery(filters);
  const isRange = "dateFrom" in query;
  const { partnerId = "", currency = program.currency } = filters;
  const currencies = new Set([program.currency, currency, ...(meta?.otherCurrencies ?? [])]);
  const choosePeriod = (period: string) =>
    setFilters(
      period === "range"
        ? { period: undefined, dateFrom: meta?.dateFrom, dateTo: meta?.dateTo }
        : { period, dateFrom: undefined, dateTo: undefined },
    );
  const move = (end: "dateFrom" | "dateTo") => (day: string) => {
    if (isRange && day !== "") setFilters(movedRange({ ...query, [end]: day }, end));
  };
  return (
    <Filters>
      <Segments
        label="Period"
        value={isRange ? "range" : query.period}
        options={[...periods, ["range", "Custom"]]}
        onChoose={choosePeriod}
      />
      {isRange && (
        <>
          <DayFilter label="From" value={query.dateFrom} onChoose={move("dateFrom")} />
          <DayFilter label="To" value={query.dateTo} onChoose={move("dateTo")} />
        </>
      )}
      <PartnerFilter value={partnerId} onChoose={(chosen) => setFilters({ partnerId: chosen })} />
      <SelectFilter
        label="Currency"
        value={currency}
        options={[...currencies].map((code) => [code, code])}
        onChoose={(chosen) => setFilters({ currency: chosen === program.currency ? undefined : chosen })}
      />
    </Filters>
  );
}

const OverviewSkeleton = (): JSX.Element => (
  <div class="stack overview-waiting">
    <div class="card trends">
      <div class="tiles">
        {["Clicks", "Leads", "Sales", "Revenue", "Commission"].map((title) => (
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
