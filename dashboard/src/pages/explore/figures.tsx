import "../overview/overview.css";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Segments } from "../../components/filters.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { TableSkeleton } from "../../components/table.tsx";
import { currencyName, formatCount, formatList } from "../../format.ts";
import { formatDays } from "../../period.ts";
import { useProgram } from "../../session.tsx";
import { addressWith, periodFilters, programAddress, useFilters } from "../../url.ts";
import { DaysChart } from "./days-chart.tsx";
import { GroupTable } from "./group-table.tsx";
import { chosenOf, type Grouping, groupTitle, nextGrouping, textsOf } from "./groupings.ts";
import { type Measure, measures, revenue } from "./measures.ts";
import { type Query, useGroups } from "./queries.ts";

interface FiguresProps {
  readonly groupBy: Grouping;
  readonly query: Query;
  readonly hasChart: boolean;
  /** Called with the other currencies that have amounts, once they are known. */
  readonly onCurrencies: (others: readonly string[]) => void;
}

export default function Figures({ groupBy, query, hasChart, onCurrencies }: FiguresProps): JSX.Element {
  const [filters, setFilters] = useFilters();
  const { found, progress } = useGroups(groupBy, query);
  const meta = found.data?.meta;
  useEffect(() => {
    if (meta !== undefined) onCurrencies(meta.otherCurrencies);
  }, [meta]);
  const [marked, setMarked] = useState<readonly string[]>([]);
  const measure = measures.find(({ name }) => name === filters.measure) ?? revenue;
  const mark = (group: string) =>
    setMarked(marked.includes(group) ? marked.filter((each) => each !== group) : [...marked, group].slice(-2));
  const addressOf = useAddressOf(groupBy);
  return (
    <div class="stack">
      <Reading progress={progress} />
      <Loaded query={found} skeleton={<TableSkeleton rows={8} />}>
        {(groups) =>
          groups.data.length === 0 ? (
            <Empty title="No figures">There were no clicks, sales or refunds in this period that match.</Empty>
          ) : (
            <>
              {hasChart && (
                <section class="card" aria-label="Chart">
                  <Segments
                    label="Figure"
                    value={measure.name}
                    options={measures.map(({ name, title }) => [name, title])}
                    onChoose={(chosen) =>
                      setFilters({ measure: chosen === revenue.name ? undefined : chosen }, "replace")
                    }
                  />
                  <div class="explore-chart">
                    <DaysChart
                      measure={measure}
                      lines={linesOf({ groupBy, query, marked, measure, groups: groups.data })}
                    />
                  </div>
                  {groupBy !== "month" && marked.length === 0 && (
                    <p class="hint explore-hint">Choose one or two rows below to see them here.</p>
                  )}
                </section>
              )}
              <GroupTable
                found={groups}
                groupBy={groupBy}
                measure={measure}
                isStale={found.isBusy}
                marked={marked}
                onMark={hasChart ? mark : undefined}
                addressOf={addressOf}
              />
            </>
          )
        }
      </Loaded>
      {meta?.previousPeriod != null && (
        <p class="hint">
          Change: compared with {formatDays(meta.previousPeriod.dateFrom, meta.previousPeriod.dateTo)}.
        </p>
      )}
      {meta !== undefined && meta.otherCurrencies.length > 0 && (
        <p class="hint">
          Amounts in {currencyName(meta.currency)}. You also have amounts in{" "}
          {formatList(meta.otherCurrencies.map(currencyName))}. Counts include all currencies.
        </p>
      )}
    </div>
  );
}

interface Marked {
  readonly groupBy: Grouping;
  readonly query: Query;
  readonly marked: readonly string[];
  readonly measure: Measure;
  readonly groups: readonly { readonly group: string; readonly label: string }[];
}

/** The chart's lines: one for each marked row or, without marked rows, one for everything. */
function linesOf({ groupBy, query, marked, measure, groups }: Marked) {
  const { filter } = textsOf(groupBy);
  const lines = groups.flatMap(({ group, label }) =>
    filter !== undefined && marked.includes(group)
      ? [{ title: groupTitle(groupBy, group, label), query: { ...query, [filter]: group } }]
      : [],
  );
  return lines.length > 0 ? lines : [{ title: measure.title, query }];
}

/** Returns the address that a row leads to: the same page with a filter by the row, and with the next grouping. */
function useAddressOf(groupBy: Grouping) {
  const { program } = useProgram();
  const [filters] = useFilters();
  const { filter } = textsOf(groupBy);
  return (group: string): string | undefined => {
    if (group === "other" || group === "" || (filter === undefined && groupBy !== "month")) return undefined;
    const page = programAddress(program.id, "explore");
    const { measure } = filters;
    const chosen = Object.fromEntries(chosenOf(filters).map(({ filter: name, value }) => [name, value]));
    const kept = { ...periodFilters(filters), ...chosen, measure };
    if (filter === undefined) {
      const [year = 0, month = 1] = group.split("-").map(Number);
      const dateTo = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
      return addressWith(page, { ...kept, period: undefined, dateFrom: `${group}-01`, dateTo });
    }
    const narrowed = { ...kept, [filter]: group };
    return addressWith(page, { ...narrowed, by: nextGrouping(narrowed, groupBy) });
  };
}

function Reading({ progress }: { readonly progress: { readonly done: number; readonly of: number } | undefined }) {
  if (progress === undefined || progress.of === 0) return null;
  const { done, of } = progress;
  return (
    <div class="explore-progress">
      <progress max={of} value={done} aria-label="Reading events" />
      <span class="soft">
        {formatCount(done)} of {formatCount(of)} events read
      </span>
    </div>
  );
}
