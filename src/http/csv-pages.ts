import { csvLine } from "./csv.ts";
import type { Page } from "./schema/cursor.ts";

type RowsOf<Row> = Pick<Page<Row>, "page" | "next">;

interface Csv<Row> {
  readonly columns: readonly string[];
  readonly cells: (row: Row) => readonly string[];
}

/** Reads each following page only once the reader has consumed the one before. */
export function csvPages<Row>(
  { columns, cells }: Csv<Row>,
  first: RowsOf<Row>,
  readNext: (before: number) => Promise<RowsOf<Row>>,
): ReadableStream<Uint8Array> {
  let { next } = first;
  const encode = (text: string) => new TextEncoder().encode(text);
  const lines = (rows: readonly Row[]) => rows.map((row) => csvLine(cells(row))).join("");
  return new ReadableStream({
    start(controller) {
      controller.enqueue(encode(csvLine(columns) + lines(first.page)));
    },
    async pull(controller) {
      if (next === undefined) return controller.close();
      const upcoming = await readNext(next);
      next = upcoming.next;
      controller.enqueue(encode(lines(upcoming.page)));
    },
  });
}
