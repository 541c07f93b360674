import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { useFilters } from "../url.ts";
import { Button } from "./button.tsx";
import { focusTable } from "./table.tsx";

interface PaginationProps {
  readonly nextCursor: string | null;
  readonly first?: string;
  readonly next?: string;
}

/** The cursor is in the URL, so the browser's Back button returns to the page before. */
export function Pagination({ nextCursor, first = "Newest", next = "Older" }: PaginationProps): JSX.Element | null {
  const [{ cursor }, setFilters] = useFilters();
  const nav = useRef<HTMLElement>(null);
  const go = (to: string | undefined) => {
    setFilters({ cursor: to });
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
