import Papa from "papaparse";
import { withoutGuard } from "./csv.ts";

export interface TableRow {
  /** The line of the file on which the row begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

export interface Table {
  readonly headers: readonly string[];
  /** Without empty ones. */
  readonly rows: readonly TableRow[];
}

export type TableResult =
  | { readonly ok: true; readonly table: Table }
  | { readonly ok: false; readonly message: string };

const delimiters = [",", ";", "\t"] as const;

/** Excel's own first line, such as `sep=;`. */
const separatorLine = /^"?sep=(.)"?\n/i;

const unreadable = (message: string): TableResult => ({ ok: false, message });

/** A file with a row of headers, as a spreadsheet saves it: CSV in UTF-8, or UTF-16 with a byte order mark. */
export function readTable(file: string | Uint8Array): TableResult {
  const decoded = typeof file === "string" ? { ok: true as const, text: file } : decode(file);
  if (!decoded.ok) return unreadable(decoded.message);
  const text = decoded.text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  if (text.includes("\0")) return unreadable("This isn't a CSV file. Save the spreadsheet as CSV in UTF-8.");
  const declared = separatorLine.exec(text);
  const body = text.slice(declared?.[0].length ?? 0);
  const records = parse(body, declared?.[1] ?? delimiterOf(body), declared === null ? 1 : 2);
  if (!records.ok) return unreadable(records.message);
  const [head, ...rows] = records.rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
  if (head === undefined) return unreadable("The file is empty.");
  const headers = head.cells.map((cell) => cell.trim());
  const wide = rows.find(({ cells }) => cells.slice(headers.length).some((cell) => cell.trim() !== ""));
  if (wide !== undefined) {
    return unreadable(
      `Line ${wide.line} has ${wide.cells.length} cells, but the header has ${headers.length}. Is a quote missing?`,
    );
  }
  return { ok: true, table: { headers, rows } };
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

/** The one that separates most headers: names rarely hold a delimiter, while cells often do. */
function delimiterOf(text: string): string {
  const start = text.replace(/^\n+/, "");
  const counts = delimiters.map((delimiter) => {
    const [headers] = Papa.parse<string[]>(start, { delimiter, newline: "\n", preview: 1 }).data;
    return { delimiter, count: headers?.length ?? 0 };
  });
  return counts.reduce((best, each) => (each.count > best.count ? each : best)).delimiter;
}

/** Text that a spreadsheet must not read as a number: ="00042". */
const quotedFormula = /^\s*="([^"]*)"\s*$/;

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
      rows.push({ line, cells: data.map((cell) => quotedFormula.exec(cell)?.[1] ?? withoutGuard(cell)) });
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
