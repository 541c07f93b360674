import type { JSX } from "preact";
import type { RaisedCode } from "#domain/risk.ts";
import { DayFilter, Filters, SelectFilter } from "../../components/filters.tsx";
import { SelectParam } from "../../components/param-filters.tsx";
import { PartnerFilter } from "../../components/partner-filter.tsx";
import { currencyName } from "../../format.ts";
import { reasonLabels } from "../../outcome-labels.ts";
import { knownPeriod, saleDays, salePeriods } from "../../sale-period.ts";
import { useProgram } from "../../session.tsx";
import { useFilters } from "../../url.ts";
import { isOfHeld, sortingOf, statusOf, type Total } from "./queries.ts";

const orders = [
  ["date desc", "Newest sale first"],
  ["date asc", "Oldest sale first"],
  ["amount desc", "Highest commission first"],
  ["amount asc", "Lowest commission first"],
] as const;

const signalLabels = [
  ["self_referral", "Self-referral"],
  ["self_referral_similar", "Similar address"],
  ["duplicate_source", "Duplicate sale"],
  ["blocked_source", "Blocked site"],
  ["many_sources", "Many addresses"],
] as const satisfies readonly (readonly [RaisedCode, string])[];

interface CommissionFiltersProps {
  readonly totals: readonly Total[] | undefined;
  /** Name of the payout in the filters. */
  readonly payoutName?: string;
}

export function CommissionFilters({ totals = [], payoutName }: CommissionFiltersProps): JSX.Element {
  const [filters, setFilters] = useFilters();
  const { partnerId = "", payoutId = "", currency = "", reason = "" } = filters;
  const { sort, order } = sortingOf(filters);
  const currencies = [...new Set([...totals.map((total) => total.currency), ...(currency && [currency])])].toSorted();
  const isVoid = statusOf(filters) === "void";
  const found = totals.filter((total) => total.status === "void" && total.reason !== null);
  const reasons = [...new Set([...found.map((total) => total.reason ?? ""), ...(reason && [reason])])];
  return (
    <Filters isPaired>
      <SaleDate />
      {payoutName !== undefined && (
        <SelectParam
          name="payoutId"
          label="Payout"
          options={[
            ["", "All commissions"],
            [payoutId, payoutName],
          ]}
        />
      )}
      <PartnerFilter value={partnerId} onChoose={(chosen) => setFilters({ partnerId: chosen })} />
      {isVoid && (
        <span class="whole-row">
          <SelectParam
            name="reason"
            label="Reason"
            options={[["", "All reasons"], ...reasons.map((each) => [each, reasonLabels[each] ?? each] as const)]}
          />
        </span>
      )}
      {isOfHeld(filters) && (
        <span class="whole-row">
          <SelectParam name="flag" label="Why" options={[["", "All reasons"], ...signalLabels]} />
        </span>
      )}
      {/* Lists other than held commissions have column heads to sort by, except on a phone. */}
      <span class={isOfHeld(filters) ? undefined : "sort-filter"}>
        <SelectFilter
          label="Sort by"
          value={`${sort} ${order}`}
          options={payoutName === undefined ? orders : [["partner asc", "By partner"], ...orders]}
          onChoose={(chosen) => setFilters({ sort: chosen.split(" ")[0], order: chosen.split(" ")[1] })}
        />
      </span>
      {(currencies.length > 1 || currency !== "") && (
        <SelectParam
          name="currency"
          label="Currency"
          options={[["", "All currencies"], ...currencies.map((code) => [code, currencyName(code)] as const)]}
        />
      )}
    </Filters>
  );
}

function SaleDate(): JSX.Element {
  const { program } = useProgram();
  const [filters, setFilters] = useFilters();
  const { dateFrom = "", dateTo = "" } = saleDays(filters, program.timezone);
  const period = knownPeriod(filters.sold);
  const isCustom = period === undefined && (filters.sold === "custom" || dateFrom !== "" || dateTo !== "");
  const choose = (sold: string) => {
    const isToCustom = sold === "custom";
    setFilters({ sold, dateFrom: isToCustom ? dateFrom : undefined, dateTo: isToCustom ? dateTo : undefined });
  };
  const move = (end: "dateFrom" | "dateTo") => (day: string, history: "push" | "replace") => {
    const next = { dateFrom, dateTo, [end]: day };
    const isCrossed = next.dateFrom !== "" && next.dateTo !== "" && next.dateFrom > next.dateTo;
    setFilters({ sold: "custom", ...(isCrossed ? { dateFrom: day, dateTo: day } : next) }, history);
  };
  return (
    <>
      <SelectFilter
        label="Sale date"
        value={period ?? (isCustom ? "custom" : "")}
        options={[["", "All sale dates"], ...salePeriods, ["custom", "Custom dates"]]}
        onChoose={choose}
      />
      {isCustom && (
        <>
          <DayFilter label="From" value={dateFrom} onChoose={move("dateFrom")} />
          <DayFilter label="To" value={dateTo} onChoose={move("dateTo")} />
        </>
      )}
    </>
  );
}
