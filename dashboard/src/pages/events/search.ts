/** Pages that are looked through at limit: a list of this API is found by going through it. */
export const maxPages = 10;

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor: string | null;
}

export interface Search<Row> {
  readonly matches: (row: Row) => boolean;
  /** From this row on, none can be wanted. */
  readonly isPast?: (row: Row) => boolean;
  /** How many are wanted. Default: all. */
  readonly limit?: number;
}

export interface SearchResult<Row> {
  readonly found: readonly Row[];
  /** Whether more can't be: otherwise there are pages that were not looked at. */
  readonly isComplete: boolean;
}

/** Looks through a list, the newest first. */
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
