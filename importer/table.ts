import Papa from "papaparse";
import { withoutGuard } from "./csv.ts";
import { headerKey } from "./headers.ts";
import { refusedColumns } from "./refused-columns.ts";
import { trimmed } from "./trim.ts";

export interface TableRow {
  /** The line of the file on which the row begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Positions of cells that are formulas. */
  readonly formulas?: readonly number[];
}

export interface Table {
  readonly headers: readonly string[];
  /** The delimiter for a new file with these rows. */
  readonly delimiter: string;
  /** The rows without empty ones. */
  readonly rows: readonly TableRow[];
}

export type TableResult =
  | { readonly ok: true; readonly table: Table }
  | { readonly ok: false; readonly message: string };

const delimiters = [",", ";", "\t"] as const;

/** A first line that Excel writes, such as `sep=;`. */
const separatorLine = /^"?sep=(.)"?\n/i;

const unreadable = (message: string): TableResult => ({ ok: false, message });

/** Reads a file with a row of headers, as a spreadsheet saves it: CSV in UTF-8, or in UTF-16 with a byte order mark. */
export function readTable(file: string | Uint8Array): TableResult {
  if (isWorkbook(file)) return unreadable("This is a workbook: save it as CSV (UTF-8).");
  const decoded = typeof file === "string" ? { ok: true as const, text: file } : decode(file);
  if (!decoded.ok) return unreadable(decoded.message);
  const text = decoded.text.replace(/^\uFEFF+/, "").replace(/\r\n?/g, "\n");
  if (text.includes("\0")) return unreadable("This isn't a CSV file. Save the spreadsheet as CSV in UTF-8.");
  const declared = separatorLine.exec(text);
  const body = text.slice(declared?.[0].length ?? 0);
  const delimiter = declared?.[1] ?? delimiterOf(body);
  const records = parse(body, delimiter, declared === null ? 1 : 2);
  if (!records.ok) return unreadable(records.message);
  const [head, ...rows] = records.rows.filter(({ cells }) => countFilled(cells) > 0);
  if (head === undefined) return unreadable("The file is empty.");
  if (isTitle(head, rows, delimiter)) {
    return unreadable(
      `Line ${head.line} looks like a title: "${head.cells.map(trimmed).join("")}". The header must be the first line.`,
    );
  }
  const headers = head.cells.map(trimmed);
  const wide = rows.find(({ cells }) => countFilled(cells.slice(headers.length)) > 0);
  if (wide !== undefined) {
    return unreadable(
      `Line ${wide.line} has ${wide.cells.length} cells, but the header has ${headers.length}. Is a quote missing? The header must be the first line.`,
    );
  }
  // A new file lacks Excel's line `sep=…`, so it needs a delimiter that is recognized without this line.
  const written = delimiters.find((each) => each === delimiter) ?? ",";
  return { ok: true, table: withoutReasons({ headers, delimiter: written, rows }) };
}

/** Removes the columns with the reasons from a file of refused rows, since they aren't data. */
function withoutReasons({ headers, rows, ...table }: Table): Table {
  const isData = headers.map((header) => !refusedColumns.some((name) => headerKey(name) === headerKey(header)));
  if (isData.every(Boolean)) return { headers, rows, ...table };
  const places = isData.flatMap((is, at) => (is ? [at] : []));
  const dataOf = ({ line, cells, formulas }: TableRow): TableRow => ({
    line,
    cells: places.map((place) => cells[place] ?? ""),
    ...(formulas && { formulas: places.flatMap((place, at) => (formulas.includes(place) ? [at] : [])) }),
  });
  return { headers: places.map((place) => headers[place] ?? ""), rows: rows.map(dataOf), ...table };
}

/** First bytes of a ZIP archive (xlsx, ods and numbers), and of xls. */
const workbookStarts = ["PK\x03\x04", "PK\x05\x06", "\xD0\xCF\x11\xE0"];

function isWorkbook(file: string | Uint8Array): boolean {
  const start = typeof file === "string" ? file.slice(0, 4) : String.fromCharCode(...file.subarray(0, 4));
  return workbookStarts.includes(start);
}

const countFilled = (cells: readonly string[]): number => cells.filter((cell) => trimmed(cell) !== "").length;

/** True for a title above the headers, which name at least two columns. */
function isTitle({ cells }: TableRow, rows: readonly TableRow[], delimiter: string): boolean {
  const others = delimiters.filter((each) => each !== delimiter);
  const isRow = (row: TableRow) => countFilled(row.cells) > 1 || others.some((each) => row.cells[0]?.includes(each));
  return countFilled(cells) === 1 && rows.some(isRow);
}

type Decoded = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

function decode(bytes: Uint8Array): Decoded {
  const encoding = encodingOf(bytes);
  try {
    return { ok: true, text: new TextDecoder(encoding, { fatal: true }).decode(bytes) };
  } catch {
    const lines = new TextDecoder(encoding).decode(bytes).split(/\r\n?|\n/);
    const line = lines.findIndex((text) => text.includes("\uFFFD")) + 1;
    return { ok: false, message: `Line ${line} isn't valid ${encoding.toUpperCase()}. Save the file as CSV in UTF-8.` };
  }
}

function encodingOf([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

/** The delimiter that separates most headers. Headers decide because they rarely contain one, while cells often do. */
function delimiterOf(text: string): string {
  const start = text.replace(/^\n+/, "");
  const counts = delimiters.map((delimiter) => {
    const [headers] = Papa.parse<string[]>(start, { delimiter, newline: "\n", preview: 1 }).data;
    return { delimiter, count: headers?.length ?? 0 };
  });
  return counts.reduce((best, each) => (each.count > best.count ? each : best)).delimiter;
}

/** A text that is written as a formula so that a spreadsheet doesn't read it as a number: ="00042". */
const quotedFormula = /^\s*="((?:[^"]|"")*)"\s*$/;
const isFormula = (cell: string): boolean => /^\s*=/.test(cell) && !quotedFormula.test(cell);

function rowOf(line: number, data: readonly string[]): TableRow {
  const cells = data.map((cell) => quotedFormula.exec(cell)?.[1]?.replaceAll('""', '"') ?? withoutGuard(cell));
  const formulas = data.flatMap((cell, at) => (isFormula(cell) ? [at] : []));
  return { line, cells, ...(formulas.length > 0 && { formulas }) };
}

type Records =
  | { readonly ok: true; readonly rows: readonly TableRow[] }
  | { readonly ok: false; readonly message: string };

function parse(text: string, delimiter: string, firstLine: number): Records {
  const rows: TableRow[] = [];
  let line = firstLine;
  let from = 0;
  let brokenLine: number | undefined;
  Papa.parse<string[]>(text, {
    delimiter,
    newline: "\n",
    step: ({ data, errors, meta }) => {
      if (errors.some(({ type }) => type === "Quotes")) brokenLine ??= line;
      rows.push(rowOf(line, data));
      line += lineBreaks(text, from, meta.cursor);
      from = meta.cursor;
    },
  });
  if (brokenLine !== undefined)
    return { ok: false, message: `A quote on line ${brokenLine} is misplaced or not closed.` };
  return { ok: true, rows };
}

function lineBreaks(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
