import type { JSX } from "preact";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Change, Count } from "../../components/numbers.tsx";
import { Empty } from "../../components/states.tsx";
import { currencyName, formatDay, formatList, pluralize } from "../../format.ts";
import { zoneTitle } from "../../format-time.ts";
import { formatDays } from "../../period.ts";
import { reasonsOf } from "../../reasons/reasons-address.ts";
import { WhyMoney } from "../../reasons/why-money.tsx";
import { useProgram } from "../../session.tsx";
import { programAddress, useFilters } from "../../url.ts";
import { Days } from "./days.tsx";
import { MetricChart } from "./metric-chart.tsx";
import { clicks, hasActivity, metrics } from "./metrics.ts";
import type { Before, Performance } from "./queries.ts";

interface TrendsProps {
  readonly performance: Performance;
  readonly before: Before;
  readonly isStale: boolean;
}

export function Trends({ performance, before, isStale }: TrendsProps): JSX.Element {
  const { metrics: figures, meta } = performance;
  const [{ show, partnerId }, setFilters] = useFilters();
  const shown = metrics.find(({ name }) => name === show) ?? clicks;
  const isEmpty = !hasActivity(figures);
  return (
    <section class={isStale ? "card trends stale" : "card trends"} aria-label="Key metrics" aria-busy={isStale}>
      <div class="tiles">
        {metrics.map(({ name, title, total, isMoney, isNeutral = false }) => (
          <div key={name} class="tile">
            <button
              type="button"
              class="tile-title"
              aria-pressed={name === shown.name}
              onClick={() => setFilters({ show: name }, "replace")}
            >
              {title}
            </button>
            <strong class="tile-value">
              {isMoney ? (
                <WhyMoney
                  amountCents={total(figures)}
                  currency={meta.currency}
                  of={reasonsOf("figure", name, partnerId)}
                  what={title.toLowerCase()}
                  isShort
                />
              ) : (
                <Count of={total(figures)} />
              )}
            </strong>
            <span class="tile-note">
              {before !== undefined && (
                <Change now={total(figures)} before={total(before.metrics)} isNeutral={isNeutral} />
              )}
              {name === clicks.name && figures.totalClicks > 0 && (
                <small>{pluralize(figures.totalUniqueClicks, "visitor")}</small>
              )}
            </span>
          </div>
        ))}
      </div>
      <div class="trends-chart">{isEmpty ? <NoActivity /> : <MetricChart {...{ performance, before, shown }} />}</div>
      <footer class="trends-foot soft">
        <p>
          {formatRange(meta)}, {zoneTitle(meta.timezone)} time.
          {before !== undefined && ` Compared with ${formatRange(before.meta)}.`}
          {meta.otherCurrencies.length > 0 &&
            ` Amounts in ${currencyName(meta.currency)}. You also have amounts in ${formatList(meta.otherCurrencies.map(currencyName))}. Counts include all currencies.`}
        </p>
        {!isEmpty && <Days performance={performance} />}
      </footer>
    </section>
  );
}

const formatRange = ({ dateFrom, dateTo }: Performance["meta"]): string => formatDays(dateFrom, dateTo, formatDay);

function NoActivity(): JSX.Element {
  const { program, isArchived, may } = useProgram();
  const [{ partnerId }, setFilters] = useFilters();
  if (partnerId !== undefined)
    return (
      <Empty
        title="No activity from this partner in this period"
        action={<Button onClick={() => setFilters({ partnerId: undefined })}>Show all partners</Button>}
      >
        Clicks on the partner's link appear here, along with the leads and sales that follow.
      </Empty>
    );
  if (isArchived || !may("admin")) return <Empty title="No activity in this period">Choose a longer period.</Empty>;
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
