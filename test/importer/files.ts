import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  faultInWords,
  type ImportKind,
  type MappingOptions,
  mapHeaders,
  type Prepared,
  type PrepareOptions,
  prepareRows,
  problemInWords,
  readTable,
  type Table,
} from "../../importer/index.ts";

export function tableOf(file: string | Uint8Array): Table {
  const read = readTable(file);
  if (!read.ok) throw new Error(read.message);
  return read.table;
}

export const sample = (name: string): Table => tableOf(readFileSync(join(import.meta.dirname, "samples", name)));

export type Settings = MappingOptions & Omit<PrepareOptions, "kind" | "table" | "mapping">;

/** Returns the prepared rows of a file. Throws if the headers are wrong. */
export function prepare(
  kind: ImportKind,
  file: string | Table,
  { given, file: preset, ...rest }: Settings = {},
): Prepared {
  const table = typeof file === "string" ? tableOf(file) : file;
  const mapped = mapHeaders(kind, table.headers, { ...(given && { given }), file: preset });
  if (!mapped.ok) throw new Error(faultInWords(mapped.fault));
  return prepareRows({ kind, table, mapping: mapped.mapping, ...rest });
}

export const problemsOf = (prepared: Prepared): string[] => prepared.problems.map(problemInWords);
