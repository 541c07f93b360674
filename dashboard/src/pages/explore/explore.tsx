import "./explore.css";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { countDays } from "#domain/performance.ts";
import { api, take } from "../../api/client.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { Button } from "../../components/button.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { Filters, SelectFilter } from "../../components/filters.tsx";
import { lazy } from "../../components/lazy.tsx";
import { CurrencyFilter, PeriodFilter } from "../../components/period-filter.tsx";
import { Empty } from "../../components/states.tsx";
import { TableSkeleton } from "../../components/table.tsx";
import { periodQuery } from "../../period.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { type Filters as AddressFilters, useFilters } from "../../url.ts";
import { useRange } from "../../use-range.ts";
import { chosenOf, type Grouping, groupingNames, groupTitle, textsOf } from "./groupings.ts";
import { comparisonOf, type Query } from "./queries.ts";

const Figures = lazy(() => import("./figures.tsx"), <TableSkeleton rows={8} />);

/** The longest range for figures that the service computes event by event. */
const maxDays = 92;

const groupingOf = ({ by }: AddressFilters): Grouping => groupingNames.find((name) => name === by) ?? "partner";

function useQueryOf(filters: AddressFilters): { readonly query: Query; readonly days: number | undefined } {
  const { days } = useRange(filters);
  const chosen = Object.fromEntries(chosenOf(filters).map(({ filter, value }) => [filter, value]));
  const query = { ...periodQuery(days), ...(filters.currency && { currency: filters.currency }), ...chosen };
  return { query, days: days && countDays(days) };
}

export default function Explore(): JSX.Element {
  const { program } = useProgram();
  const [filters, setFilters] = useFilters();
  const [otherCurrencies, setOtherCurrencies] = useState<readonly string[]>();
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
                query: { ...query, groupBy, ...comparisonOf(groupBy), format: "csv" },
              })
            }
          />
        )}
      </header>
      <Filters>
        <SelectFilter
          label="Group by"
          value={groupBy}
          options={groupingNames.map((name) => [name, textsOf(name).title])}
          onChoose={(by) => setFilters({ by, sort: undefined, order: undefined })}
        />
        <PeriodFilter shown={undefined} />
        <CurrencyFilter others={otherCurrencies} />
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
          These figures are counted event by event, for at most {maxDays} days. Grouped by partner or month, without
          other filters, they cover any period.
        </Empty>
      ) : (
        <Figures
          key={groupBy}
          groupBy={groupBy}
          query={query}
          hasChart={days <= maxDays}
          onCurrencies={setOtherCurrencies}
        />
      )}
    </>
  );
}

/** The active filters, each with a button that removes it. */
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
