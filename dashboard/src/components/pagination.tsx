import type { JSX } from "preact";
import { useFilters } from "../url.ts";
import { Button } from "./button.tsx";

interface PaginationProps {
  readonly nextCursor: string | null;
}

/** The cursor is in the URL, so the browser's Back button returns to newer entries. */
export function Pagination({ nextCursor }: PaginationProps): JSX.Element | null {
  const [{ cursor }, setFilters] = useFilters();
  if (cursor === undefined && nextCursor === null) return null;
  return (
    <nav class="row spread" aria-label="Pagination">
      <Button isDisabled={cursor === undefined} onClick={() => setFilters({ cursor: undefined })}>
        Newest
      </Button>
      <Button isDisabled={nextCursor === null} onClick={() => setFilters({ cursor: nextCursor ?? undefined })}>
        Older
      </Button>
    </nav>
  );
}
