import type { JSX } from "preact";
import { Card } from "../../../components/card.tsx";
import { Filters, Segments, SelectFilter } from "../../../components/filters.tsx";
import { Notice } from "../../../components/notice.tsx";
import { Loaded, Skeleton } from "../../../components/states.tsx";
import { currencyName } from "../../../format.ts";
import { useFilters } from "../../../url.ts";
import { usePartner } from "../../access.tsx";
import { Balances } from "./balances.tsx";
import { DaysChart } from "./days-chart.tsx";
import { type Day, type Overview, type Period, useOverview } from "./queries.ts";
import { Totals } from "./totals.tsx";

const periods: readonly (readonly [Period, string])[] = [
  ["7d", "7 days"],
  ["30d", "30 days"],
  ["90d", "90 days"],
  ["all", "All time"],
];
const lengths: Readonly<Record<string, number>> = { "7d": 7, "30d": 30, "90d": 90 };

interface FiguresProps {
  /** The overview of the last 90 days. */
  readonly overview: Overview;
  readonly isStale: boolean;
}

export default function Figures({ overview, isStale }: FiguresProps): JSX.Element {
  const [filters, setFilters] = useFilters();
  const period = periods.find(([name]) => name === filters.period)?.[0] ?? "30d";
  const { currency } = overview.meta;
  return (
    <div class={isStale ? "stack stale" : "stack"}>
      <Card title="Your figures">
        <Filters>
          <Segments
            label="Period"
            value={period}
            options={periods}
            onChoose={(chosen) => setFilters({ period: chosen === "30d" ? undefined : chosen }, "replace")}
          />
          <CurrencyChoice meta={overview.meta} />
        </Filters>
        {overview.meta.otherCurrencies.length > 0 && <p class="soft">Counts include all currencies.</p>}
        {period === "all" ? (
          <AllTime />
        ) : (
          <OfDays days={overview.data.days.slice(-(lengths[period] ?? 30))} currency={currency} />
        )}
      </Card>
      <Balances balances={overview.data.balances} />
    </div>
  );
}

function AllTime(): JSX.Element {
  const all = useOverview("all");
  return (
    <Loaded query={all} skeleton={<Skeleton lines={6} />}>
      {({ data, meta }) => <OfDays days={data.days} currency={meta.currency} />}
    </Loaded>
  );
}

interface OfDaysProps {
  readonly days: readonly Day[];
  readonly currency: string;
}

function OfDays({ days, currency }: OfDaysProps): JSX.Element {
  const isEmpty = days.every(
    ({ clicks, leads, sales, commissionCents }) => clicks + leads + sales === 0 && commissionCents === 0,
  );
  return (
    <div class="stack">
      <Totals days={days} currency={currency} />
      {isEmpty ? (
        <Notice look="plain">No clicks in this period yet. Share your link, and the days appear here.</Notice>
      ) : (
        <DaysChart days={days} currency={currency} />
      )}
    </div>
  );
}

function CurrencyChoice({ meta }: Pick<Overview, "meta">): JSX.Element | null {
  const { partner } = usePartner();
  const [, setFilters] = useFilters();
  const all = [...new Set([partner.currency, meta.currency, ...meta.otherCurrencies])];
  if (all.length < 2) return null;
  return (
    <SelectFilter
      label="Currency"
      value={meta.currency}
      options={all.map((each) => [each, currencyName(each)])}
      onChoose={(chosen) => setFilters({ currency: chosen === partner.currency ? undefined : chosen })}
    />
  );
}
