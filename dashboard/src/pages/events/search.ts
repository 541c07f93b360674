/** Pages that are looked through at most: a list of this API is found by going through it. */
export const maxPages = 10;

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor: string | null;
}

export interface Search<Row> {
  readonly isWanted: (row: Row) => boolean;
  /** From this row on, none can be wanted. */
  readonly isBeyond?: (row: Row) => boolean;
  /** How many are wanted. Default: all. */
  readonly most?: number;
}

export interface Searched<Row> {
  readonly found: readonly Row[];
  /** Whether more can't be: otherwise there are pages that were not looked at. */
  readonly isWhole: boolean;
}

/** Looks through a list, the newest first. */
export async function search<Row>(
  read: (cursor: string | undefined) => Promise<Page<Row>>,
  { isWanted, isBeyond = () => false, most = Number.POSITIVE_INFINITY }: Search<Row>,
): Promise<Searched<Row>> {
  const found: Row[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const { rows, nextCursor } = await read(cursor);
    for (const row of rows) {
      if (isBeyond(row)) return { found, isWhole: true };
      if (isWanted(row)) found.push(row);
      if (found.length === most) return { found, isWhole: true };
    }
    if (nextCursor === null) return { found, isWhole: true };
    cursor = nextCursor;
  }
  return { found, isWhole: false };
}
