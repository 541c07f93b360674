import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { useFilters } from "../url.ts";
import { Button } from "./button.tsx";
import { focusTable } from "./table.tsx";

interface PaginationProps {
  readonly nextCursor: string | null;
  readonly first?: string;
  readonly next?: string;
  /** The query parameter that holds the cursor. Two lists on one page need different ones. */
  readonly of?: string;
}

/**
 * Links to the pages of a list. The cursor is in the URL, so the browser's Back button returns to the previous page.
 */
export function Pagination({
  nextCursor,
  first = "Newest",
  next = "Older",
  of = "cursor",
}: PaginationProps): JSX.Element | null {
  const [filters, setFilters] = useFilters();
  const nav = useRef<HTMLElement>(null);
  const cursor = filters[of];
  const go = (to: string | undefined) => {
    setFilters({ [of]: to });
    focusTable(nav.current?.parentElement);
  };
  if (cursor === undefined && nextCursor === null) return null;
  return (
    <nav ref={nav} class="row spread" aria-label="Pagination">
      <Button isDisabled={cursor === undefined} onClick={() => go(undefined)}>
        {first}
      </Button>
      <Button isDisabled={nextCursor === null} onClick={() => go(nextCursor ?? undefined)}>
        {next}
      </Button>
    </nav>
  );
}
