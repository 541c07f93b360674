import type { JSX } from "preact";
import { useRoute } from "preact-iso/router";
import { api } from "../../api/client.ts";
import type { Statement } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { DayFilter, Filters, SelectFilter } from "../../components/filters.tsx";
import { StatementSheet } from "../../components/statement/sheet.tsx";
import { statementQuery } from "../../components/statement/statement-query.ts";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { currencyName } from "../../format.ts";
import { nameInText } from "../../named-by-code.ts";
import { reasonsOf } from "../../reasons/reasons-address.ts";
import { daysOfPeriod, knownPeriod, type SaleDays, salePeriods, todayIn } from "../../sale-period.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { useTitle } from "../../shell/title.ts";
import { searchAddress, statementAddress, useFilters } from "../../url.ts";
import { useStatement } from "./queries.ts";

export default function StatementPage(): JSX.Element {
  const { item: partnerId = "" } = useRoute().params;
  const { program } = useProgram();
  const [filters] = useFilters();
  const statement = useStatement(partnerId, filters);
  useTitle(
    statement.data === undefined ? "Statement" : `Statement for ${nameInText(statement.data.data.name)}`,
    program.name,
  );
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
      {filters.number === undefined ? (
        <StatementFilters statement={statement.data} />
      ) : (
        <p class="on-screen">
          <a href={statementAddress(program.id, Number(partnerId))}>Statement of another period</a>
        </p>
      )}
      <Loaded query={statement} skeleton={<Skeleton lines={12} />}>
        {(found) => (
          <StatementSheet
            statement={found}
            hrefOf={(ref) => searchAddress(program.id, ref)}
            openReasonsOf={(field, currency) => reasonsOf("balance", field, partnerId, currency)}
          />
        )}
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
            options={currencies.map((each) => [each, currencyName(each)] as const)}
            onChoose={(chosen) => setFilters({ currency: chosen })}
          />
        )}
      </Filters>
    </div>
  );
}

const allTime = "all";

/** Chooses a period, and so sets both its days. */
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
