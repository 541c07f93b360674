import { ok, type Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { download } from "#http/download.ts";
import type { Caller } from "#http/turns.ts";
import { allPages } from "./all-pages.ts";
import { type ExportColumns, exportFile } from "./export-file.ts";
import { readUnits } from "./units.ts";

interface PageOf<Row> {
  readonly page: readonly Row[];
  readonly next: unknown;
}

/** Sends a file with all pages of a list. */
export function downloadPages<Row, Page extends PageOf<Row>>(
  c: Ctx,
  by: Caller,
  columns: ExportColumns<Row>,
  readFrom: (after: NonNullable<Page["next"]> | undefined) => Promise<Result<Page>>,
) {
  return download(c, by, async () => {
    const units = await readUnits(c, by.programId);
    if (!units.ok) return units;
    const first = await readFrom(undefined);
    if (!first.ok) return first;
    return ok({ parts: exportFile(columns, allPages(first.value, readFrom), { units: units.value }) });
  });
}
