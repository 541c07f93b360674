import "./overview.css";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useSignal } from "../../api/signal.ts";
import { Button } from "../../components/button.tsx";
import { Filters, SelectFilter } from "../../components/filters.tsx";
import { lazy } from "../../components/lazy.tsx";
import { noPartner, PartnerFilter } from "../../components/partner-filter.tsx";
import { CurrencyFilter, PeriodFilter } from "../../components/period-filter.tsx";
import { Empty, Loaded, Skeleton } from "../../components/states.tsx";
import { comparisonOf, comparisons } from "../../period.ts";
import { useProgram } from "../../session.tsx";
import { toDo } from "../../shell/to-do.ts";
import { addressWith, partnerAddress, periodFilters, useFilters } from "../../url.ts";
import { useRange } from "../../use-range.ts";
import { Facts } from "./facts.tsx";
import { hasActivity, metrics } from "./metrics.ts";
import { type Overview, type Performance, useBefore, useOverview, usePerformance, useTopPartners } from "./queries.ts";
import { Standing } from "./standing.tsx";
import { Trends } from "./trends.tsx";

const CardSkeleton = (): JSX.Element => (
  <div class="card">
    <Skeleton lines={6} />
  </div>
);

/** Loads the to-do list at once, since the page waits for it: if it appeared later, it would move the figures. */
const listLoaded = import("./to-do.tsx");

const Tops = lazy(
  () => import("./tops.tsx"),
  <div class="tops">
    <CardSkeleton />
    <CardSkeleton />
  </div>,
);

export default function OverviewPage(): JSX.Element {
  const [filters] = useFilters();
  const range = useRange(filters);
  const performance = usePerformance(filters, range);
  const before = useBefore(filters, range.before);
  const overview = useOverview(filters, range);
  const partners = useTopPartners(filters, range);
  const { partnerId } = filters;
  const isUnknown = partnerId && !overview.isStale && overview.data?.meta.partner === null;
  // The page shows everything at once, so that nothing moves.
  const { program } = useProgram();
  const waiting = useSignal(toDo);
  const [List, setList] = useState<{ readonly Part?: Awaited<typeof listLoaded>["default"] }>();
  useEffect(() => {
    void listLoaded.then(
      (file) => setList({ Part: file.default }),
      () => setList({}),
    );
  }, []);
  const isReady =
    List !== undefined &&
    waiting?.programId === program.id &&
    (overview.data !== undefined || overview.failure !== undefined);
  const content = (
    <Loaded query={isReady ? performance : { ...performance, data: undefined }} skeleton={<OverviewSkeleton />}>
      {(found) => (
        <>
          {overview.data !== undefined && waiting !== undefined && List?.Part !== undefined && (
            <List.Part items={waiting.items} overview={overview.data.data} />
          )}
          <Trends performance={found} before={before} isStale={performance.isStale} />
          {overview.data !== undefined && <Standing commissions={overview.data.data.commissions} />}
          <Facts performance={found} />
          {hasActivity(found.metrics) && <Tops overview={overview} partners={partners} />}
        </>
      )}
    </Loaded>
  );
  return (
    <>
      <header class="page-head">
        <h1>Overview</h1>
      </header>
      <Narrowed meta={performance.data?.meta} partner={overview.data?.meta.partner ?? null} />
      {isUnknown ? <UnknownPartner id={partnerId} /> : content}
    </>
  );
}
function UnknownPartner({ id }: { readonly id: string }): JSX.Element {
  const [, setFilters] = useFilters();
  const action = <Button onClick={() => setFilters({ partnerId: undefined })}>Show all partners</Button>;
  return (
    <Empty title="Partner not found" action={action}>
      {noPartner(id)}
    </Empty>
  );
}

interface NarrowedProps {
  readonly meta: Performance["meta"] | undefined;
  readonly partner: Overview["meta"]["partner"];
}

function Narrowed({ meta, partner }: NarrowedProps): JSX.Element {
  const { program } = useProgram();
  const [filters, setFilters] = useFilters();
  const { period } = useRange(filters);
  const { partnerId = "" } = filters;
  return (
    <Filters>
      <PeriodFilter shown={meta} />
      {period !== "all" && period !== "today" && (
        <SelectFilter
          label="Comparison"
          value={comparisonOf(filters)}
          options={comparisons}
          onChoose={(compare) => setFilters({ compare: compare === "before" ? undefined : compare })}
        />
      )}
      <PartnerFilter value={partnerId} known={partner} onChoose={(chosen) => setFilters({ partnerId: chosen })} />
      <CurrencyFilter others={meta?.otherCurrencies} />
      {partner !== null && (
        <a href={addressWith(partnerAddress(program.id, partner.id), periodFilters(filters))}>View partner</a>
      )}
    </Filters>
  );
}

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
