import { ok, type Result } from "../../domain/result.ts";
import type { Ctx } from "../../http/context.ts";
import { type Page, pageOf } from "../../http/schema/cursor.ts";
import type { Database } from "../../store/database.ts";
import { readFromDatabase } from "../read-database.ts";

/** Reads up to `limit` rows, one more than a page, to find out whether there is a next one. */
export async function readPage<Row extends { readonly id: number }>(
  c: Ctx,
  size: number,
  read: (database: Database, limit: number) => Promise<readonly Row[]>,
): Promise<Result<Page<Row>>> {
  const found = await readFromDatabase(c, (database) => read(database, size + 1));
  return found.ok ? ok(pageOf(found.value, size)) : found;
}
