import { withClient } from "../database/client.ts";
import type { Databases, ShardDatabase } from "../database/databases.ts";
import { removeLeft } from "../shards/remove-left.ts";
import { hasBooks } from "../shards/shapes.ts";

export interface LeftRows {
  readonly programId: number;
  readonly shard: number;
}

/** Removes rows that programs left on a shard when they were migrated. Returns the programs that had such rows. */
export async function removeLeftRows(
  databases: Databases,
  database: ShardDatabase,
  programIds: readonly number[],
): Promise<readonly LeftRows[]> {
  const removed: LeftRows[] = [];
  for (const programId of programIds) {
    if (!(await withClient(database, (client) => hasBooks(client, programId)))) continue;
    if (await removeLeft(databases, database, programId)) removed.push({ programId, shard: database.shard });
  }
  return removed;
}

/** Describes the removed rows in a text. */
export const describeLeft = (removed: readonly LeftRows[]): readonly string[] =>
  removed.map(({ programId, shard }) => `Removed what program ${programId} had left on shard ${shard}.`);

/**
 * Removes left-behind rows of programs that have erased customers, because an erasure doesn't reach the shard that a
 * program has left.
 */
export async function removeErasedLeft(databases: Databases): Promise<readonly LeftRows[]> {
  const erased = new Set<number>();
  for (const database of databases) {
    for (const id of await idsIn(database, withErasures)) erased.add(id);
  }
  const removed: LeftRows[] = [];
  for (const database of databases) {
    const left = await idsIn(database, "select id from programs where place = 'left'");
    removed.push(
      ...(await removeLeftRows(
        databases,
        database,
        left.filter((id) => erased.has(id)),
      )),
    );
  }
  return removed;
}

const withErasures =
  "select distinct p.id from programs p join erasures e on e.program_id = p.id where p.place = 'here'";

const idsIn = (database: ShardDatabase, sql: string): Promise<readonly number[]> =>
  withClient(database, async (client) => (await client.execute(sql)).rows.map(({ id }) => Number(id)));
