import type { JSX } from "preact";
import { currencyName } from "../format.ts";
import { movedRange, periods } from "../period.ts";
import { useProgram } from "../session.tsx";
import { type Filters, useFilters } from "../url.ts";
import { useRange } from "../use-range.ts";
import { DayFilter, SelectFilter } from "./filters.tsx";

interface ShownDays {
  readonly dateFrom: string | null;
  readonly dateTo: string | null;
}

/**
 * Chooses the page's period. If the user switches to a custom period, its fields begin with the days that the page
 * shows. A change returns to the first page of a list.
 */
export function PeriodFilter({ shown }: { readonly shown: ShownDays | undefined }): JSX.Element {
  const [filters, setFilters] = useFilters();
  const { period, days } = useRange(filters);
  const usual = useRange({}).days;
  const change = (changes: Filters, history?: "push" | "replace") =>
    setFilters({ page: undefined, ...changes }, history);
  const choose = (chosen: string) =>
    change(
      chosen === "custom"
        ? { period: undefined, dateFrom: shown?.dateFrom ?? usual?.from, dateTo: shown?.dateTo ?? usual?.to }
        : { period: chosen, dateFrom: undefined, dateTo: undefined },
    );
  const move = (end: "dateFrom" | "dateTo") => (day: string, history: "push" | "replace") => {
    if (days !== undefined) change(movedRange({ dateFrom: days.from, dateTo: days.to, [end]: day }, end), history);
  };
  return (
    <>
      <SelectFilter label="Period" value={period} options={periods} onChoose={choose} />
      {period === "custom" && days !== undefined && (
        <>
          <DayFilter label="From" value={days.from} isRequired onChoose={move("dateFrom")} />
          <DayFilter label="To" value={days.to} isRequired onChoose={move("dateTo")} />
        </>
      )}
    </>
  );
}

/** Chooses the currency of the page's amounts. The program's currency is the default, and isn't in the URL. */
export function CurrencyFilter({ others }: { readonly others: readonly string[] | undefined }): JSX.Element {
  const { program } = useProgram();
  const [{ currency = program.currency }, setFilters] = useFilters();
  const currencies = [...new Set([program.currency, currency, ...(others ?? [])])];
  return (
    <SelectFilter
      label="Currency"
      value={currency}
      options={currencies.map((code) => [code, currencyName(code)])}
      onChoose={(chosen) => setFilters({ currency: chosen === program.currency ? undefined : chosen, page: undefined })}
    />
  );
}
