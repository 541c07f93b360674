import { textOf } from "./cells.ts";
import type { Mapping } from "./mapping.ts";
import type { Problem } from "./problems.ts";
import type { Table, TableRow } from "./table.ts";
import { trimmed } from "./trim.ts";

/**
 * Finds problems of a row as a whole: it repeats the headers, or it has a value for which the preset doesn't say
 * whether to import the row.
 */
export function judgeRow(row: TableRow, { headers }: Table, mapping: Mapping): "wanted" | "left out" | Problem {
  const { line, cells } = row;
  if (headers.every((header, at) => trimmed(cells[at] ?? "") === header)) return headerAgain(row, mapping);
  const found = mapping.filters.map((filter) => ({ ...filter, read: textOf(cells, [filter.at]) }));
  const has = (values: readonly string[], text: string) => values.includes(text.toLowerCase());
  if (found.some(({ leftOut, read }) => has(leftOut, read))) return "left out";
  const unknown = found.find(({ imported, read }) => !has(imported, read));
  if (unknown === undefined) return "wanted";
  const { header, imported, leftOut, read } = unknown;
  const known = [...imported, ...leftOut].filter((value) => value !== "");
  return { line, code: "invalid_value", column: header, read, expected: `one of ${known.join(", ")}` };
}

function headerAgain({ line, cells }: TableRow, { columns: [first] }: Mapping): Problem {
  const column = first?.column.name ?? "";
  const read = textOf(cells, first?.at ?? []);
  return { line, code: "invalid_value", column, read, expected: "a row, not the header again" };
}
