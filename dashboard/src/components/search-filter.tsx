import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { addressWith, type Filters } from "../url.ts";

const searchDelayMs = 250;

interface SearchFilterProps {
  /** The query parameter that holds the search text. */
  readonly name: string;
  /** The fields that the search covers, for the placeholder. */
  readonly searched: string;
  /** The list's position, which a search resets to the first page. */
  readonly position: "page" | "cursor";
}

/** Searches when the user has paused typing, without a new history entry. */
export function SearchFilter({ name, searched, position }: SearchFilterProps): JSX.Element {
  const location = useLocation();
  // Holds the current location, because another filter may have changed between the last key press and the search.
  const latest = useRef(location);
  latest.current = location;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = (text: string) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const { path, query, route } = latest.current;
      const filters: Filters = { ...query, [name]: text.trim(), [position]: undefined };
      route(addressWith(path, filters), true);
    }, searchDelayMs);
  };
  return (
    <>
      {location.query[name] && <span class="print-only">Search:</span>}
      <input
        type="search"
        class="control filter"
        placeholder={searched}
        aria-label={`Search by ${searched.toLowerCase()}`}
        maxLength={255}
        defaultValue={location.query[name] ?? ""}
        onInput={(event) => search(event.currentTarget.value)}
      />
    </>
  );
}
