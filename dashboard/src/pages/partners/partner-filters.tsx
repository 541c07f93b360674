import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Filters, SelectFilter } from "../../components/filters.tsx";
import { CurrencyFilter, PeriodFilter } from "../../components/period-filter.tsx";
import { useProgram } from "../../session.tsx";
import { addressWith, useFilters } from "../../url.ts";
import { type PartnerPage, partnerSorting, sorts } from "./queries.ts";

const searchDelayMs = 250;

export function PartnerFilters({ meta }: { readonly meta: PartnerPage["meta"] | undefined }): JSX.Element {
  const [filters, setFilters] = useFilters();
  const { sort } = partnerSorting(filters);
  return (
    <Filters>
      <PeriodFilter shown={meta} />
      <CurrencyFilter others={meta?.otherCurrencies} />
      <Search />
      <span class="sort-filter">
        <SelectFilter
          label="Sort by"
          value={sort}
          options={sorts.map(([value, title]) => [value, `Sort by ${title.toLowerCase()}`])}
          onChoose={(chosen) => setFilters({ sort: chosen, order: undefined, page: undefined })}
        />
      </span>
    </Filters>
  );
}

/** Asks once the user pauses, and adds no history entry. */
function Search(): JSX.Element {
  const { path, query, route } = useLocation();
  const { may } = useProgram();
  const searched = may("admin") ? "Name, code or email" : "Name or code";
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = (text: string) => {
    clearTimeout(timer.current);
    const address = addressWith(path, { ...query, q: text.trim(), page: undefined });
    timer.current = setTimeout(() => route(address, true), searchDelayMs);
  };
  return (
    <input
      type="search"
      class="control filter"
      placeholder={searched}
      aria-label={`Search by ${searched.toLowerCase()}`}
      maxLength={255}
      defaultValue={query.q ?? ""}
      onInput={(event) => search(event.currentTarget.value)}
    />
  );
}
