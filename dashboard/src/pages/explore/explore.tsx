import "../overview/overview.css";
import "./explore.css";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { countDays } from "#domain/performance.ts";
import { api, take } from "../../api/client.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { Button } from "../../components/button.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { Filters, Segments, SelectFilter } from "../../components/filters.tsx";
import { CurrencyFilter, PeriodFilter } from "../../components/period-filter.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { TableSkeleton } from "../../components/table.tsx";
import { formatCount } from "../../format.ts";
import { periodQuery } from "../../period.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { addressWith, periodFilters, programAddress, useFilters } from "../../url.ts";
import { useRange } from "../../use-range.ts";
import { DaysChart } from "./days-chart.tsx";
import { GroupTable } from "./group-table.tsx";
import { type Grouping, groupingNames, groupTitle, nextGrouping, textsOf } from "./groupings.ts";
import { type Measure, measures, revenue } from "./measures.ts";
import { type Query, useGroups } from "./queries.ts";

/** The service's limit for what it reads event by event. */
const maxDays = 92;

type Address = ReturnType<typeof useFilters>[0];

const groupingOf = ({ by }: Address): Grouping => groupingNames.find((name) => name === by) ?? "partner";

/** What the address limits the figures to, with the names that the service has for it. */
const chosenOf = (filters: Address) =>
  groupingNames.flatMap((grouping) => {
    const { filter } = textsOf(grouping);
    const value = filter && filters[filter];
    return filter && value ? [{ grouping, filter, value }] : [];
  });

function useQueryOf(filters: Address): { readonly query: Query; readonly days: number | undefined } {
  const { days } = useRange(filters);
  const chosen = Object.fromEntries(chosenOf(filters).map(({ filter, value }) => [filter, value]));
  const query = { ...periodQuery(days), ...(filters.currency && { currency: filters.currency }), ...chosen };
  return { query, days: days && countDays(days) };
}

export default function Explore(): JSX.Element {
  const { program } = useProgram();
  const [filters, setFilters] = useFilters();
  const groupBy = groupingOf(filters);
  const { query, days = Number.POSITIVE_INFINITY } = useQueryOf(filters);
  const isCounted =
    (groupBy === "partner" || groupBy === "month") && chosenOf(filters).every(({ filter }) => filter === "partner");
  const isTooLong = days > maxDays && !isCounted;
  return (
    <>
      <header class="page-head spread">
        <h1>Explore</h1>
        {!isTooLong && (
          <ExportButton
            label="Export figures"
            call={() =>
              api.programs[":programId"].performance.$get({
                param: paramOf(program),
                query: { ...query, groupBy, compare: "previous", format: "csv" },
              })
            }
          />
        )}
      </header>
      <Filters>
        <SelectFilter
          label="Group by"
          value={groupBy}
          options={groupingNames.map((name) => [name, `By ${textsOf(name).title.toLowerCase()}`])}
          onChoose={(by) => setFilters({ by, sort: undefined, order: undefined })}
        />
        <PeriodFilter shown={undefined} />
        <CurrencyFilter others={undefined} />
        <Chosen />
      </Filters>
      {isTooLong ? (
        <Empty
          title="Choose a shorter period"
          action={
            <Button onClick={() => setFilters({ period: "90d", dateFrom: undefined, dateTo: undefined })}>
              Last 90 days
            </Button>
          }
        >
          These figures are read event by event, for at most {maxDays} days. By partner and by month, without other
          filters, they are there for any period.
        </Empty>
      ) : (
        <Figures key={groupBy} groupBy={groupBy} query={query} hasChart={days <= maxDays} />
      )}
    </>
  );
}

/** The filters in force, each with a button that ends it. */
function Chosen(): JSX.Element {
  const [filters, setFilters] = useFilters();
  const partner = usePartnerName(filters.partner);
  return (
    <>
      {chosenOf(filters).map(({ grouping, filter, value }) => {
        const title = groupTitle(grouping, value, grouping === "partner" ? (partner ?? "…") : value);
        const text = `${textsOf(grouping).title}: ${title}`;
        return (
          <Button key={filter} label={`Remove the filter ${text}`} onClick={() => setFilters({ [filter]: undefined })}>
            <span class="explore-chip">
              <bdi>{text}</bdi>
            </span>{" "}
            ×
          </Button>
        );
      })}
    </>
  );
}

function usePartnerName(id: string | undefined): string | undefined {
  const { data } = useProgramQuery("explored partner", id ?? null, async ({ param }, init) => {
    if (id === undefined) return null;
    const one = api.programs[":programId"].partners[":partnerId"];
    return (await take(one.$get({ param: { ...param, partnerId: id } }, init))).data.name;
  });
  return data ?? undefined;
}

interface FiguresProps {
  readonly groupBy: Grouping;
  readonly query: Query;
  readonly hasChart: boolean;
}

function Figures({ groupBy, query, hasChart }: FiguresProps): JSX.Element {
  const [filters, setFilters] = useFilters();
  const { found, progress } = useGroups(groupBy, query);
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
                  <DaysChart
                    measure={measure}
                    lines={linesOf({ groupBy, query, marked, measure, groups: groups.data })}
                  />
                  {groupBy !== "month" && <p class="soft">Choose one or two rows below to see them here.</p>}
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

/** The rows marked, or all together. */
function linesOf({ groupBy, query, marked, measure, groups }: Marked) {
  const { filter } = textsOf(groupBy);
  const lines = groups.flatMap(({ group, label }) =>
    filter !== undefined && marked.includes(group)
      ? [{ title: groupTitle(groupBy, group, label), query: { ...query, [filter]: group } }]
      : [],
  );
  return lines.length > 0 ? lines : [{ title: measure.title, query }];
}

/** Where a row leads: to the same page, limited to the row, by the next grouping. */
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
