import type { JSX } from "preact";
import { Button } from "../../../components/button.tsx";
import { ExportButton } from "../../../components/export-button.tsx";
import { DayFilter, Filters, SelectFilter } from "../../../components/filters.tsx";
import { StatementSheet } from "../../../components/statement/sheet.tsx";
import { statementQuery } from "../../../components/statement/statement-query.ts";
import { Loaded, Skeleton } from "../../../components/states.tsx";
import { currencyName } from "../../../format.ts";
import { ownTimezone } from "../../../format-time.ts";
import { reasonsOf } from "../../../reasons/reasons-address.ts";
import { daysOfPeriod, type SaleDays, salePeriods, todayIn } from "../../../sale-period.ts";
import { useFilters } from "../../../url.ts";
import { usePartner } from "../../access.tsx";
import { statementRoute, useStatement } from "./queries.ts";

type Statement = NonNullable<ReturnType<typeof useStatement>["data"]>;

export default function StatementTab(): JSX.Element {
  const { param, view, address } = usePartner();
  const [filters] = useFilters();
  const statement = useStatement(filters);
  return (
    <>
      <div class="on-screen">
        {filters.number === undefined ? (
          <StatementFilters statement={statement.data} />
        ) : (
          <a href={address("payouts", { tab: "statement" })}>Statement of another period</a>
        )}
      </div>
      <div class="row on-screen">
        <Button look="primary" onClick={() => window.print()}>
          Print
        </Button>
        <ExportButton
          title="CSV"
          label="Download the statement as CSV"
          call={() => statementRoute().$get({ param, query: { ...statementQuery(filters), ...view, format: "csv" } })}
        />
      </div>
      <Loaded query={statement} skeleton={<Skeleton lines={12} />}>
        {(found) => (
          <StatementSheet
            statement={found}
            openReasonsOf={(field, currency) => reasonsOf("balance", field, currency)}
          />
        )}
      </Loaded>
    </>
  );
}

const allTime = "all";

function StatementFilters({ statement }: { readonly statement: Statement | undefined }): JSX.Element {
  const { partner } = usePartner();
  const [{ from, to, currency: asked }, setFilters] = useFilters();
  const today = todayIn(statement?.meta.timezone ?? ownTimezone());
  const isNow = (days: Required<SaleDays>) => days.dateFrom === from && days.dateTo === to;
  const known = salePeriods.find(([period]) => isNow(daysOfPeriod(period, today)))?.[0];
  const isCustom = known === undefined && (from !== undefined || to !== undefined);
  const choose = (chosen: string) => {
    const period = salePeriods.find(([name]) => name === chosen)?.[0];
    const days = period && daysOfPeriod(period, today);
    setFilters({ from: days?.dateFrom, to: days?.dateTo });
  };
  const currency = statement?.data.currency ?? asked ?? partner.currency;
  const currencies = [currency, ...(statement?.meta.otherCurrencies ?? [])].toSorted();
  return (
    <Filters isPaired>
      <SelectFilter
        label="Period"
        value={isCustom ? "" : (known ?? allTime)}
        options={[...(isCustom ? ([["", "Custom"]] as const) : []), [allTime, "All time"], ...salePeriods]}
        onChoose={choose}
      />
      {currencies.length > 1 && (
        <SelectFilter
          label="Currency"
          value={currency}
          options={currencies.map((each) => [each, currencyName(each)] as const)}
          onChoose={(chosen) => setFilters({ currency: chosen })}
        />
      )}
      <DayFilter
        label="From"
        value={from ?? statement?.data.from ?? ""}
        onChoose={(day, history) => setFilters({ from: day }, history)}
      />
      <DayFilter
        label="To"
        value={to ?? statement?.data.to ?? ""}
        onChoose={(day, history) => setFilters({ to: day }, history)}
      />
    </Filters>
  );
}
