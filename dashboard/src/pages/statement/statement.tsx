import "../../styles/statement.css";
import type { JSX } from "preact";
import { useRoute } from "preact-iso/router";
import { api } from "../../api/client.ts";
import { Button } from "../../components/button.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { DayFilter, Filters, SelectFilter } from "../../components/filters.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { formatDate } from "../../format.ts";
import { zoneTitle } from "../../format-time.ts";
import { daysOfPeriod, knownPeriod, type SaleDays, salePeriods, todayIn } from "../../sale-period.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { useTitle } from "../../shell/title.ts";
import { useFilters } from "../../url.ts";
import { StatementLines } from "./lines.tsx";
import { Open } from "./open.tsx";
import { type Statement, statementQuery, useStatement } from "./queries.ts";

export default function StatementPage(): JSX.Element {
  const { item: partnerId = "" } = useRoute().params;
  const { program } = useProgram();
  const [filters] = useFilters();
  const statement = useStatement(partnerId, filters);
  useTitle(statement.data === undefined ? "Statement" : `Statement for ${statement.data.data.name}`, program.name);
  return (
    <>
      <header class="page-head spread on-screen">
        <h1>Statement</h1>
        <div class="row">
          <ExportButton
            label="Export statement"
            call={() =>
              api.programs[":programId"].partners[":partnerId"].statement.$get({
                param: { ...paramOf(program), partnerId },
                query: { ...statementQuery(filters), format: "csv" },
              })
            }
          />
          <Button look="primary" onClick={() => window.print()}>
            Print
          </Button>
        </div>
      </header>
      <StatementFilters statement={statement.data} />
      <Loaded query={statement} skeleton={<Skeleton lines={12} />}>
        {(found) => <Sheet statement={found} />}
      </Loaded>
    </>
  );
}

function StatementFilters({ statement }: { readonly statement: Statement | undefined }): JSX.Element {
  const { program } = useProgram();
  const [filters, setFilters] = useFilters();
  const currency = statement?.data.currency ?? filters.currency ?? program.currency;
  const currencies = [currency, ...(statement?.meta.otherCurrencies ?? [])].toSorted();
  return (
    <div class="on-screen">
      <Filters>
        <PeriodFilter />
        <DayFilter
          label="From"
          value={filters.from ?? statement?.data.from ?? ""}
          onChoose={(from, history) => setFilters({ from }, history)}
        />
        <DayFilter
          label="To"
          value={filters.to ?? statement?.data.to ?? ""}
          onChoose={(to, history) => setFilters({ to }, history)}
        />
        {currencies.length > 1 && (
          <SelectFilter
            label="Currency"
            value={currency}
            options={currencies.map((each) => [each, each] as const)}
            onChoose={(chosen) => setFilters({ currency: chosen })}
          />
        )}
      </Filters>
    </div>
  );
}

const allTime = "all";

/** Sets both days. */
function PeriodFilter(): JSX.Element {
  const { program } = useProgram();
  const [{ from, to }, setFilters] = useFilters();
  const today = todayIn(program.timezone);
  const isNow = (days: Required<SaleDays>) => days.dateFrom === from && days.dateTo === to;
  const known = salePeriods.find(([period]) => isNow(daysOfPeriod(period, today)))?.[0];
  const isCustom = known === undefined && (from !== undefined || to !== undefined);
  const choose = (chosen: string) => {
    const period = knownPeriod(chosen);
    const days = period && daysOfPeriod(period, today);
    setFilters({ from: days?.dateFrom, to: days?.dateTo });
  };
  return (
    <SelectFilter
      label="Period"
      value={isCustom ? "" : (known ?? allTime)}
      options={[...(isCustom ? ([["", "Custom"]] as const) : []), [allTime, "All time"], ...salePeriods]}
      onChoose={choose}
    />
  );
}

/** Prints on A4. */
function Sheet({ statement: { data, meta } }: { readonly statement: Statement }): JSX.Element {
  const { program } = useProgram();
  return (
    <article class="card sheet" aria-label="Statement">
      <header>
        <p class="breakable issuer">
          <bdi>{program.name}</bdi>
        </p>
        <h2 class="breakable">
          Statement for <bdi>{data.name}</bdi>
        </h2>
        <dl class="facts about">
          <dt>Partner code</dt>
          <dd>
            <code class="breakable">{data.partnerCode}</code>
          </dd>
          <dt>Period</dt>
          <dd>
            {formatDate(data.from)} – {formatDate(data.to)}
          </dd>
          <dt>Currency</dt>
          <dd>{data.currency}</dd>
          <dt>Date of issue</dt>
          <dd>{formatDate(todayIn(program.timezone))}</dd>
        </dl>
      </header>
      <StatementLines statement={data} />
      <Open statement={data} />
      {program.payoutTerms !== null && (
        <section>
          <h3>Payout terms</h3>
          <p class="breakable terms">{program.payoutTerms}</p>
        </section>
      )}
      <p class="soft">Entries are listed by the day on which they were posted ({zoneTitle(meta.timezone)}).</p>
    </article>
  );
}
