import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Filters, Segments, SelectFilter } from "../../components/filters.tsx";
import { useProgram } from "../../session.tsx";
import { addressWith, useFilters } from "../../url.ts";
import { type PartnerPage, partnerQuery, periods, sorts } from "./queries.ts";

const searchDelayMs = 250;

export function PartnerFilters({ meta }: { readonly meta: PartnerPage["meta"] | undefined }): JSX.Element {
  const { program } = useProgram();
  const [filters, setFilters] = useFilters();
  const { period, sort, currency = program.currency } = partnerQuery(filters);
  const currencies = [...new Set([program.currency, currency, ...(meta?.otherCurrencies ?? [])])];
  return (
    <Filters>
      <Segments
        label="Period"
        value={period}
        options={periods}
        onChoose={(chosen) => setFilters({ period: chosen, page: undefined })}
      />
      {currencies.length > 1 && (
        <SelectFilter
          label="Currency"
          value={currency}
          options={currencies.map((each) => [each, each])}
          onChoose={(chosen) => setFilters({ currency: chosen, page: undefined })}
        />
      )}
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
      placeholder="Search by name, code or email"
      aria-label="Search by name, code or email"
      maxLength={255}
      defaultValue={query.q ?? ""}
      onInput={(event) => search(event.currentTarget.value)}
    />
  );
}
