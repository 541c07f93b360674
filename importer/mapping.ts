import { type Column, type ImportKind, importColumns } from "./columns.ts";
import { headerKey } from "./headers.ts";
import type { ColumnSource, Conversion, PresetFile, RowFilter } from "./presets/preset.ts";

/** Maps columns of the service to headers of the file, such as `{ customer_key: "User ID" }`. */
export type GivenMapping = Readonly<Record<string, string>>;

export interface MappedColumn {
  readonly column: Column;
  /** Positions of the cells with the column's value. Values of several cells are joined by a space. */
  readonly at: readonly number[];
  /** Positions of the cells with further codes. */
  readonly also: readonly number[];
  readonly convert: Conversion | undefined;
  readonly values: Readonly<Record<string, string>> | undefined;
}

export interface MappedFilter extends RowFilter {
  readonly at: number;
}

export interface Mapping {
  readonly columns: readonly MappedColumn[];
  readonly filters: readonly MappedFilter[];
  /** Headers of the file that aren't imported. */
  readonly unused: readonly string[];
}

interface FoundHeader {
  readonly header: string;
  /** Position of the header, from 0. */
  readonly at: number;
}

export type MappingFault =
  /** The kind of import has no such column. */
  | { readonly code: "unknown_column"; readonly column: string; readonly columns: readonly string[] }
  /** The file has no such header. */
  | { readonly code: "unknown_header"; readonly header: string; readonly headers: readonly string[] }
  /** Two headers of the file have the name of a column that is imported. */
  | { readonly code: "same_headers"; readonly found: readonly FoundHeader[] }
  /** The file has nothing for required columns. */
  | { readonly code: "missing_columns"; readonly columns: readonly string[]; readonly headers: readonly string[] };

export type MappingResult =
  | { readonly ok: true; readonly mapping: Mapping }
  | { readonly ok: false; readonly fault: MappingFault };

export interface MappingOptions {
  readonly given?: GivenMapping;
  readonly file?: PresetFile | undefined;
}

/**
 * Finds an import's columns in a file: by the given mapping, otherwise by the preset, or by the columns' names if there
 * is no preset.
 */
export function mapHeaders(
  kind: ImportKind,
  headers: readonly string[],
  { given = {}, file }: MappingOptions = {},
): MappingResult {
  const columns = importColumns[kind];
  const names = columns.map(({ name }) => name);
  const column = Object.keys(given).find((name) => !names.includes(name));
  if (column !== undefined) return { ok: false, fault: { code: "unknown_column", column, columns: names } };

  const find = finderOf(headers);
  const filters = file?.only ?? [];
  const needed = filters.filter(({ isOptional }) => !isOptional).map(({ header }) => header);
  const header = [...Object.values(given), ...needed].find((each) => find(each) === undefined);
  if (header !== undefined) return { ok: false, fault: { code: "unknown_header", header, headers } };

  const mapped = columns.flatMap((each) => {
    const chosen = given[each.name];
    const source = chosen === undefined ? file?.columns[each.name] : { from: [chosen] };
    // A preset lists the sources of all columns. Any other header of its file that has a column's name may mean
    // something else.
    const found = mapColumn(each, source ?? { from: file === undefined ? [each.name] : [] }, find);
    return found === undefined ? [] : [found];
  });
  const missing = columns.filter((each) => each.isRequired && !mapped.some((found) => found.column === each));
  if (missing.length > 0) {
    return { ok: false, fault: { code: "missing_columns", columns: missing.map(({ name }) => name), headers } };
  }
  const mappedFilters = filters.flatMap((filter) => {
    const at = find(filter.header);
    return at === undefined ? [] : [{ ...filter, at }];
  });
  const used = new Set([...mapped.flatMap(({ at, also }) => [...at, ...also]), ...mappedFilters.map(({ at }) => at)]);
  const twins = [...used].map((at) => twinsOf(headers, at, Object.values(given))).find((found) => found.length > 1);
  if (twins !== undefined) return { ok: false, fault: { code: "same_headers", found: twins } };
  const unused = headers.filter((name, at) => name !== "" && !used.has(at));
  return { ok: true, mapping: { columns: mapped, filters: mappedFilters, unused } };
}

type Find = (header: string) => number | undefined;

/**
 * Returns a function that finds a header's position: by an exact match, or else ignoring case, spaces and punctuation.
 * Of several matching headers, the first one counts.
 */
function finderOf(headers: readonly string[]): Find {
  const keys = headers.map(headerKey);
  return (header) => {
    const exact = headers.indexOf(header);
    const at = exact >= 0 ? exact : keys.indexOf(headerKey(header));
    return at >= 0 ? at : undefined;
  };
}

/**
 * All headers with the same name as the one at `at`, which is included. Case, spaces and punctuation are ignored,
 * unless `given` contains one of the two headers.
 */
function twinsOf(headers: readonly string[], at: number, given: readonly string[]): readonly FoundHeader[] {
  const own = headers[at] ?? "";
  const isLike = (header: string) => headerKey(header) === headerKey(own);
  const isTwin = (header: string) =>
    header === own || (isLike(header) && !given.includes(own) && !given.includes(header));
  return headers.flatMap((header, place) => (isTwin(header) ? [{ header, at: place }] : []));
}

function mapColumn(column: Column, source: ColumnSource, find: Find): MappedColumn | undefined {
  const placesOf = (each: string | readonly string[]) =>
    (typeof each === "string" ? [each] : each).flatMap((header) => find(header) ?? []);
  const at = source.from.map(placesOf).find((places) => places.length > 0);
  if (at === undefined) return undefined;
  return { column, at, also: placesOf(source.also ?? []), convert: source.convert, values: source.values };
}

export function faultInWords(fault: MappingFault): string {
  const list = (names: readonly string[]) => names.filter((name) => name !== "").join(", ");
  if (fault.code === "unknown_column") return `There is no column ${fault.column}. Columns: ${list(fault.columns)}.`;
  if (fault.code === "same_headers") {
    const named = fault.found.map(({ header, at }) => `"${header}" (column ${at + 1})`);
    return `Several columns of the file have one name: ${named.join(", ")}. Rename or delete all but one.`;
  }
  const found = `Its columns are: ${list(fault.headers)}.`;
  if (fault.code === "unknown_header") return `The file has no column "${fault.header}". ${found}`;
  return `The file has no column for ${list(fault.columns)}. ${found}`;
}
