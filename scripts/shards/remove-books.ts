import type { Client } from "@libsql/client/http";
import { type Copied, deferred, firedBy, guard, guarded, withoutTriggers } from "./guarded.ts";
import { rested, rowsOfPage } from "./pages.ts";
import { countRows, list, orderOf, quoted, readerOf, readShapes } from "./shapes.ts";
import { bookTables } from "./tables.ts";

/**
 * Removes the program's rows page by page, the last rows first. The program's own row stays, because it states the
 * program's new shard or is needed by another migration.
 */
export async function removeBooks(client: Client, copied: Copied, place: "arriving" | "left"): Promise<void> {
  const database = readerOf(client);
  const [shapeOf, counts] = await Promise.all([readShapes(database), countRows(database, copied.programId)]);
  for (const [i, table] of [...bookTables.entries()].toReversed()) {
    const shape = shapeOf(table.name);
    const key = list(shape.key);
    const order = orderOf(table, shape).map((name) => `${quoted(name)} desc`);
    const remove = {
      sql: `delete from ${table.name} where (${key}) in
        (select ${key} from ${table.name} t where ${table.isWithin} order by ${order.join(", ")} limit ${rowsOfPage})`,
      args: [copied.programId],
    };
    const removal = [deferred, guard(copied, place), ...withoutTriggers(firedBy(shape, "DELETE"), [remove])];
    for (let left = counts[i] ?? 0; left > 0; left -= rowsOfPage) {
      await rested(() => guarded(client.batch(removal, "write")));
    }
  }
}
