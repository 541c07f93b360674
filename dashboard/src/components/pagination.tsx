import type { JSX } from "preact";
import { useFilters } from "../url.ts";
import { Button } from "./button.tsx";

interface PaginationProps {
  readonly nextCursor: string | null;
  readonly first?: string;
  readonly next?: string;
  /** The query parameter that holds the cursor. Two lists on a page have one each. */
  readonly of?: string;
}

/** The cursor is in the URL, so the browser's Back button returns to the page before. */
export function Pagination({
  nextCursor,
  first = "Newest",
  next = "Older",
  of = "cursor",
}: PaginationProps): JSX.Element | null {
  const [filters, setFilters] = useFilters();
  const cursor = filters[of];
  if (cursor === undefined && nextCursor === null) return null;
  return (
    <nav class="row spread" aria-label="Pagination">
      <Button isDisabled={cursor === undefined} onClick={() => setFilters({ [of]: undefined })}>
        {first}
      </Button>
      <Button isDisabled={nextCursor === null} onClick={() => setFilters({ [of]: nextCursor ?? undefined })}>
        {next}
      </Button>
    </nav>
  );
}
