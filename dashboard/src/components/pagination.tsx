import type { JSX } from "preact";
import { useFilters } from "../url.ts";
import { Button } from "./button.tsx";

interface PaginationProps {
  readonly nextCursor: string | null;
  readonly first?: string;
  readonly next?: string;
}

/** The cursor is in the URL, so the browser's Back button returns to the page before. */
export function Pagination({ nextCursor, first = "Newest", next = "Older" }: PaginationProps): JSX.Element | null {
  const [{ cursor }, setFilters] = useFilters();
  if (cursor === undefined && nextCursor === null) return null;
  return (
    <nav class="row spread" aria-label="Pagination">
      <Button isDisabled={cursor === undefined} onClick={() => setFilters({ cursor: undefined })}>
        {first}
      </Button>
      <Button isDisabled={nextCursor === null} onClick={() => setFilters({ cursor: nextCursor ?? undefined })}>
        {next}
      </Button>
    </nav>
  );
}
