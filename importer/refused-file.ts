import { csvLine } from "./csv.ts";
import type { Problem } from "./problems.ts";
import { refusedColumns } from "./refused-columns.ts";
import type { Table } from "./table.ts";
import type { RefusedRow } from "./tally.ts";

/** Starts the file, since Excel doesn't read UTF-8 without a byte order mark. */
const byteOrderMark = "\uFEFF";

/** A file of the rows that weren't imported, unchanged, with the reasons. Once corrected, it can be imported. */
export function refusedFile(
  { headers, rows, delimiter }: Table,
  problems: readonly Problem[],
  refused: readonly RefusedRow[],
): string {
  const reasons = new Map<number, RefusedRow>();
  for (const { line, code, column } of problems)
    if (!reasons.has(line)) reasons.set(line, { line, code, field: column });
  for (const row of refused) reasons.set(row.line, row);
  const lineOf = (cells: readonly string[]) => csvLine(cells, delimiter);
  const lines = rows.flatMap(({ line, cells }) => {
    const reason = reasons.get(line);
    if (reason === undefined) return [];
    const original = headers.map((_, at) => cells[at] ?? "");
    return [lineOf([...original, String(line), reason.code, reason.field])];
  });
  return [byteOrderMark, lineOf([...headers, ...refusedColumns]), ...lines].join("");
}
