import { ok, type Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { download } from "#http/download.ts";
import type { Caller } from "#http/turns.ts";
import { allPages } from "./all-pages.ts";
import { type ExportColumns, exportFile } from "./export-file.ts";

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
    const first = await readFrom(undefined);
    return first.ok ? ok({ parts: exportFile(columns, allPages(first.value, readFrom)) }) : first;
  });
}
