import type { JSX } from "preact";
import { Filters, SelectFilter } from "../../components/filters.tsx";
import { CurrencyFilter, PeriodFilter } from "../../components/period-filter.tsx";
import { SearchFilter } from "../../components/search-filter.tsx";
import { useProgram } from "../../session.tsx";
import { useFilters } from "../../url.ts";
import { type PartnerPage, partnerSorting, sorts } from "./queries.ts";

export function PartnerFilters({ meta }: { readonly meta: PartnerPage["meta"] | undefined }): JSX.Element {
  const [filters, setFilters] = useFilters();
  const { may } = useProgram();
  const { sort } = partnerSorting(filters);
  return (
    <Filters>
      <PeriodFilter shown={meta} />
      <CurrencyFilter others={meta?.otherCurrencies} />
      <SearchFilter name="q" searched={may("admin") ? "Name, code or email" : "Name or code"} position="page" />
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
