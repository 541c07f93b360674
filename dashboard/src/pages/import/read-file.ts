import { detectPresets, readTable, type Table } from "../../../../importer/index.ts";
import type { Choices } from "./choices.ts";

type ReadFile =
  | { readonly ok: true; readonly table: Table; readonly detected: Partial<Choices> }
  | { readonly ok: false; readonly message: string };

export async function readFile(file: File): Promise<ReadFile> {
  const read = readTable(new Uint8Array(await file.arrayBuffer()));
  if (!read.ok) return read;
  const [found] = detectPresets(read.table.headers);
  const detected = found && { kind: found.kind, presetId: found.preset.id, source: found.preset.source };
  return { ok: true, table: read.table, detected: detected ?? {} };
}
