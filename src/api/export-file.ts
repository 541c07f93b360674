import { decimalText, type Units } from "#domain/units.ts";
import { type CsvCell, csvLine } from "#http/csv.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";

export const format = (all = "pages") =>
  fields
    .oneOf("format", ["json", "csv"])
    .optional()
    .openapi({ description: `\`csv\` returns all ${all} in one file.` });

/** Byte order mark at the start of files for people. Without it, Excel doesn't read the file as UTF-8. */
export const byteOrderMark = "\uFEFF";

interface AmountCell {
  readonly cents: number;
  readonly currency: string;
}

/** The columns of a CSV file, in order. Each function returns a cell of a row. */
export type ExportColumns<Of> = Readonly<Record<string, (of: Of) => CsvCell | AmountCell>>;

/** Columns that contain no amounts. */
export type PlainColumns<Of> = Readonly<Record<string, (of: Of) => CsvCell>>;

/** The content of a CSV response for the OpenAPI document. Its example is a file without rows. */
export const csvContent = <Of>(columns: ExportColumns<Of>, start?: string) => ({
  "text/csv": { schema: z.string(), example: exportHead(columns, start) },
});

export const okOrFile = <Schema extends z.ZodType, Of>(
  description: string,
  schema: Schema,
  columns: ExportColumns<Of>,
) => ({
  200: { description, content: { "application/json": { schema }, ...csvContent(columns) } },
});

export const amountCell = (cents: number, currency: string): AmountCell => ({ cents, currency });

const written = (cell: CsvCell | AmountCell, units: Units): CsvCell =>
  typeof cell === "object" && cell !== null && "cents" in cell
    ? { decimal: decimalText(cell.cents, cell.currency, units) }
    : cell;

export const exportHead = <Of>(columns: ExportColumns<Of>, start = byteOrderMark): string =>
  start + csvLine(Object.keys(columns));

export function exportLines<Of>(columns: ExportColumns<Of>, rows: readonly Of[], units: Units): string {
  const cells = Object.values(columns);
  return rows.map((row) => csvLine(cells.map((cell) => written(cell(row), units)))).join("");
}

/** A small number, so that writing a part of a file doesn't delay other calls. */
const rowsPerPart = 100;

export async function* exportFile<Of>(
  columns: ExportColumns<Of>,
  pages: AsyncIterable<{ readonly page: readonly Of[] }>,
  { units, start }: { readonly units: Units; readonly start?: string },
): AsyncGenerator<string, undefined> {
  yield exportHead(columns, start);
  for await (const { page } of pages) {
    for (let at = 0; at < page.length; at += rowsPerPart) {
      yield exportLines(columns, page.slice(at, at + rowsPerPart), units);
    }
  }
}

/** Yields the same rows as a JSON array of objects. Their keys are the names of the columns. */
export async function* exportJson<Of>(
  columns: PlainColumns<Of>,
  pages: AsyncIterable<{ readonly page: readonly Of[] }>,
): AsyncGenerator<string, undefined> {
  const named = Object.entries(columns);
  const textOf = (row: Of) => JSON.stringify(Object.fromEntries(named.map(([name, cell]) => [name, cell(row)])));
  let before = '{"data":[';
  for await (const { page } of pages) {
    for (const row of page) {
      yield before + textOf(row);
      before = ",";
    }
  }
  yield before === "," ? "]}" : `${before}]}`;
}

const fileHeaders = (type: string, name: string) => ({
  "Content-Type": type,
  "Content-Disposition": `attachment; filename="${name}"`,
});

export const csvHeaders = (name: string) => fileHeaders("text/csv; charset=utf-8", `${name}.csv`);

/** Reduces a text to ASCII characters that are safe in a header. The result may be empty. */
const inName = (text: string): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}+/gu, "")
    .replaceAll(/[^a-z0-9]+/g, " ")
    .trim()
    .replaceAll(" ", "-")
    .slice(0, 60)
    .replace(/-$/, "");

interface NamedProgram {
  readonly id: number;
  readonly name: string;
}

/** Name of a file, such as "tributary-northwind-outdoor-payout-2026-10". */
const exportName = (program: NamedProgram, parts: readonly (string | undefined)[]): string =>
  ["tributary", inName(program.name) || `program-${program.id}`, ...parts.map((part) => inName(part ?? ""))]
    .filter(Boolean)
    .join("-");

/** Headers for the response with a payment file. */
export const payFileHeaders = (
  program: NamedProgram,
  { contentType, extension }: { readonly contentType: string; readonly extension: string },
  ...parts: readonly string[]
) => fileHeaders(contentType, `${exportName(program, parts)}.${extension}`);

export const exportHeaders = (program: NamedProgram, ...parts: readonly (string | undefined)[]) =>
  csvHeaders(exportName(program, parts));

export const jsonFileHeaders = (program: NamedProgram, ...parts: readonly string[]) =>
  fileHeaders("application/json", `${exportName(program, parts)}.json`);

export const jsonLinesHeaders = (program: NamedProgram, ...parts: readonly string[]) =>
  fileHeaders("application/jsonl", `${exportName(program, parts)}.jsonl`);

/** The period's name: "2026-10" for a whole month. */
export function periodName(from: string | undefined, to: string | undefined): string {
  if (from !== undefined && to !== undefined) {
    const [month, nextDay] = [from.slice(0, 7), new Date(Date.parse(`${to}T00:00:00Z`) + 86_400_000)];
    const isMonth = from.endsWith("-01") && to.startsWith(month) && nextDay.getUTCDate() === 1;
    return isMonth ? month : `${from} to ${to}`;
  }
  if (from !== undefined) return `from ${from}`;
  return to === undefined ? "" : `to ${to}`;
}
