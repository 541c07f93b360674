import { ok, type Result } from "#domain/result.ts";
import { home } from "#domain/shard.ts";
import type { Ctx } from "#http/context.ts";
import { readNames } from "#store/accounts/names.ts";
import { readFromDatabase } from "./read-database.ts";

type Named<Id extends string, Name extends string> = Readonly<Record<Id, string | null> & Record<Name, string | null>>;

/**
 * Fills in the names of people in rows from another shard, because only the home database has names. `id` and `name`
 * may be the same column, which contains the ids until names replace them.
 */
export async function withNames<Id extends string, Name extends string, Row extends Named<Id, Name>>(
  c: Ctx,
  rows: readonly Row[],
  id: Id,
  name: Name,
): Promise<Result<readonly Row[]>> {
  const ids = c.get("log").shard === home ? [] : [...new Set(rows.flatMap((row) => row[id] ?? []))];
  if (ids.length === 0) return ok(rows);
  const names = await readFromDatabase(c, "home", (database) => readNames(database, ids));
  if (!names.ok) return names;
  const known = (row: Row) => ((id as string) === name ? null : row[name]);
  return ok(rows.map((row) => ({ ...row, [name]: names.value.get(row[id] ?? "") ?? known(row) })));
}
