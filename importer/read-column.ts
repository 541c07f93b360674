import { type CellOptions, readCell, readCodes, splitCodes, textOf } from "./cells.ts";
import type { Column } from "./columns.ts";
import { damageOfText, roundedId } from "./damage.ts";
import type { MappedColumn } from "./mapping.ts";
import { type Reading, read, unread } from "./reading.ts";
import type { TableRow } from "./table.ts";

export interface ColumnOptions extends CellOptions {
  /** Ids that a spreadsheet has rounded. This is visible only in the column as a whole. */
  readonly roundedIds: ReadonlySet<string>;
}

/** The value of a cell, or the reason why it can't be read. `text` is the cell's text. */
export type ColumnReading = Reading & { readonly text: string };

/** Reads the value of a column in a row. Undefined if the cell is empty and the column isn't required. */
export function readColumn(mapped: MappedColumn, row: TableRow, options: ColumnOptions): ColumnReading | undefined {
  const { column, at, also } = mapped;
  const { cells, formulas = [] } = row;
  const text = textOf(cells, at);
  const formula = [...at, ...also].find((place) => formulas.includes(place));
  if (formula !== undefined) return { ...notFormula, text: textOf(cells, [formula]) };
  if (text === "") return column.isRequired ? { ...unread("a value", "missing_value"), text } : undefined;
  if (options.roundedIds.has(text)) return { ...roundedId, text };
  const damaged = isText(column) ? firstUnread(cells, at, damageOfText) : undefined;
  if (damaged !== undefined) return damaged;
  const reading = { ...readCell(mapped, text, options), text };
  if (!reading.ok || column.form !== "codes") return reading;
  return firstUnread(cells, also, readCodes) ?? { ...read(allCodes(String(reading.value), cells, also)), text };
}

const isText = ({ form }: Column): boolean => form === "text" || form === "word";

const notFormula = unread("a value, not a formula: save the file with the formulas' results");

function firstUnread(
  cells: readonly string[],
  places: readonly number[],
  readText: (text: string) => Reading | undefined,
): ColumnReading | undefined {
  for (const text of places.map((place) => textOf(cells, [place]))) {
    const reading = readText(text);
    if (reading?.ok === false) return { ...reading, text };
  }
  return undefined;
}

const allCodes = (codes: string, cells: readonly string[], also: readonly number[]): string =>
  [...new Set([codes, ...also.map((place) => textOf(cells, [place]))].flatMap(splitCodes))].join(";");
