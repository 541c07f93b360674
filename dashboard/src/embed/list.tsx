import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { Query } from "../api/use-query.ts";
import { Button } from "../components/button.tsx";
import { Section, Trouble, Waiting } from "./parts.tsx";

interface Page<Row> {
  readonly data: readonly Row[];
  readonly meta: { readonly nextCursor: string | null };
}

interface PagedProps<Row> {
  readonly title: string;
  /** Shown while the list is empty. Says what will appear in it. */
  readonly empty: string;
  /** Shown above the list. */
  readonly lead?: ComponentChildren;
  /** Shown above the rows, unless the list is empty. */
  readonly hint?: string;
  readonly usePage: (cursor: string | undefined) => Query<Page<Row>>;
  readonly rowKey: (row: Row) => string;
  readonly children: (row: Row) => ComponentChildren;
}

/** A list with pages, newest items first. */
export function Paged<Row>({ title, empty, lead, hint, usePage, rowKey, children }: PagedProps<Row>): JSX.Element {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const { data: page, failure, isBusy } = usePage(cursors.at(-1));
  const next = page?.meta.nextCursor ?? null;
  return (
    <Section title={title}>
      {lead}
      {page === undefined && (failure === undefined ? <Waiting /> : <Trouble failure={failure} />)}
      {page?.data.length === 0 && <p class="soft">{empty}</p>}
      {page !== undefined && page.data.length > 0 && (
        <>
          {hint !== undefined && <p class="soft small">{hint}</p>}
          <ul class="list" aria-label={`${title}, newest first`} aria-busy={isBusy}>
            {page.data.map((row) => (
              <li key={rowKey(row)}>{children(row)}</li>
            ))}
          </ul>
        </>
      )}
      {(next !== null || cursors.length > 0) && (
        <div class="row">
          <Button isDisabled={cursors.length === 0} onClick={() => setCursors(cursors.slice(0, -1))}>
            Newer
          </Button>
          <Button isDisabled={next === null} onClick={() => next !== null && setCursors([...cursors, next])}>
            Older
          </Button>
        </div>
      )}
    </Section>
  );
}
