import type { JSX } from "preact";
import { useFilters } from "../url.ts";
import { Button } from "./button.tsx";

interface PaginationProps {
  /** What the answer gave for the page after this one; null: this is the last. */
  readonly nextCursor: string | null;
}

/** Older and newer pages. The cursor stands in the URL, so the browser's own Back is the way to newer ones. */
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
