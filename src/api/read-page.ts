import { ok, type Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import type { idCursor } from "#http/schema/cursor.ts";
import type { Database } from "#store/database.ts";
import { type Place, readFromDatabase } from "./read-database.ts";

type IdCursor = ReturnType<typeof idCursor>;

/** `read` gets a `limit` that is one row more than a page, to find out whether there is a next page. */
export async function readPage<Row extends { readonly id: number }>(
  c: Ctx,
  place: Place,
  { pageOf, size }: Pick<IdCursor, "pageOf"> & { readonly size: number },
  read: (database: Database, limit: number) => Promise<readonly Row[]>,
): Promise<Result<ReturnType<typeof pageOf<Row>>>> {
  const found = await readFromDatabase(c, place, (database) => read(database, size + 1));
  return found.ok ? ok(pageOf(found.value, size, (last) => last)) : found;
}
