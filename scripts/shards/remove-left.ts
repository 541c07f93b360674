import { ExplainedError, operatorCommand } from "../command.ts";
import { withClient } from "../database/client.ts";
import type { Databases, ShardDatabase } from "../database/databases.ts";
import { keepIds } from "./arrive.ts";
import type { Copied } from "./guarded.ts";
import { rowsOf, shardSql } from "./mover.ts";
import { removeBooks } from "./remove-books.ts";

/**
 * Removes the rows of a program that has left this shard, except its row in `programs`, which states its new shard. The
 * removed ids are never reused. Returns false if the program hasn't left this shard, or if its migration isn't
 * finished. Throws unless the program is on the shard that the directory states.
 */
export async function removeLeft(databases: Databases, database: ShardDatabase, programId: number): Promise<boolean> {
  return withClient(database, async (client) => {
    const left = "select move_id from programs where id = ? and place = 'left' and leave_by is null";
    const [row] = await rowsOf(client, left, programId);
    if (row === undefined) return false;
    const copied = { programId, moveId: Number(row.move_id) };
    await requireWhole(databases, copied);
    await keepIds(client);
    await removeBooks(client, copied, "left");
    return true;
  });
}

/**
 * Throws if the shard that now has the program may lack rows after a restore, because the rows that the program left on
 * this shard would then be the only ones.
 */
async function requireWhole([atHome, ...others]: Databases, { programId, moveId }: Copied): Promise<void> {
  const [place] = await withClient(atHome, (client) => rowsOf(client, shardSql, programId));
  const there = [atHome, ...others].find(({ shard }) => shard === Number(place?.shard));
  const whole = "select 1 from programs where id = ? and place = 'here' and move_id >= ?";
  const [found] = there ? await withClient(there, (client) => rowsOf(client, whole, programId, moveId)) : [];
  if (found !== undefined) return;
  throw new ExplainedError(
    `Nothing was removed: program ${programId} is being moved, or isn't where the directory says. ` +
      `See: ${operatorCommand} shards check`,
  );
}
