/** The API has no lookup by ID, so a search pages through the list. */
export const maxPages = 10;

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor: string | null;
}

export interface Search<Row> {
  readonly matches: (row: Row) => boolean;
  /** True from the first row after which none can match. */
  readonly isPast?: (row: Row) => boolean;
  readonly limit?: number;
}

export interface SearchResult<Row> {
  readonly found: readonly Row[];
  /** False if the page limit ended the search, so that there may be more. */
  readonly isComplete: boolean;
}

export async function search<Row>(
  read: (cursor: string | undefined) => Promise<Page<Row>>,
  { matches, isPast = () => false, limit = Number.POSITIVE_INFINITY }: Search<Row>,
): Promise<SearchResult<Row>> {
  const found: Row[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const { rows, nextCursor } = await read(cursor);
    for (const row of rows) {
      if (isPast(row)) return { found, isComplete: true };
      if (matches(row)) found.push(row);
      if (found.length === limit) return { found, isComplete: true };
    }
    if (nextCursor === null) return { found, isComplete: true };
    cursor = nextCursor;
  }
  return { found, isComplete: false };
}
