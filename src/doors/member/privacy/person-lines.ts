import type { Context } from "hono";
import type { JSONParsed } from "hono/utils/types";
import { readFromDatabase } from "#api/read-database.ts";
import { ok, type Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { download } from "#http/download.ts";
import * as z from "#http/schema/zod.ts";
import { jsonStream } from "#http/text-stream.ts";
import type { ExportPersonCall } from "#operations/privacy/export-person.ts";
import { type PersonRows, type PersonTable, type Position, readPersonPage, startPosition } from "#store/person.ts";
import { allPages, pagesFrom } from "../all-pages.ts";
import { jsonLinesHeaders } from "../export-file.ts";
import { exportedRow, exportedTables } from "./exported-row.ts";
import { personRequests } from "./person-requests.ts";

type ExportedTable = (typeof exportedTables)[number];
type InProgram = Ctx & Pick<Context, "body"> & { get(name: "program"): { readonly id: number; readonly name: string } };

/** A page of the longest rows is smaller than what the database answers. */
const pageSize = 200;

export const PersonRow = z
  .looseObject({ of: z.enum([...exportedTables, "requests"]).describe("What the row is of.") })
  .openapi("PersonRow");

/** A file with a row in each line. Refused if its first page can't be read. */
export async function personFile(
  c: InProgram,
  asked: PersonRows,
  call: ExportPersonCall,
): Promise<Result<ReturnType<typeof fileOf>>> {
  const readPage = (table: PersonTable) => async (after: Position | undefined) => {
    const page = { asked, after: after ?? startPosition, limit: pageSize };
    return readFromDatabase(c, "program", (database) => readPersonPage(database, table, page));
  };
  const file = await download(c, call, async () => {
    const [firstTable, ...others] = exportedTables;
    const first = await readPage(firstTable)(undefined);
    if (!first.ok) return first;
    const requests = await personRequests(c, call);
    if (!requests.ok) return requests;
    const lines = async function* (): AsyncGenerator<string, undefined> {
      const linesOfTable = (table: ExportedTable, rows: readonly object[]) =>
        linesOf(rows.map((row) => exportedRow(table, row)));
      for await (const { rows } of allPages(first.value, readPage(firstTable))) yield linesOfTable(firstTable, rows);
      for (const table of others) {
        for await (const { rows } of pagesFrom(readPage(table))) yield linesOfTable(table, rows);
      }
      yield linesOf(requests.value);
    };
    return ok({ parts: lines() });
  });
  return file.ok ? ok(fileOf(c, file.value.parts)) : file;
}

const fileOf = (c: InProgram, lines: AsyncGenerator<string>) =>
  jsonStream<JSONParsed<z.output<typeof PersonRow>>>(c, lines, jsonLinesHeaders(c.get("program"), "customer"));

const linesOf = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
