import type { Client } from "@libsql/client/http";
import { type Copied, deferred, firedBy, guard, guarded, withoutTriggers, writtenRows } from "./guarded.ts";
import type { Pace } from "./pace.ts";
import { filledTables, list, readerOf, readShapes } from "./shapes.ts";

/** Removes the program's rows, the last tables first, in bounded steps. Its own row stays, as an address or for another move. */
export async function removeBooks(
  client: Client,
  copied: Copied,
  place: "arriving" | "left",
  pace: Pace,
): Promise<void> {
  const database = readerOf(client);
  const [shapeOf, filled] = await Promise.all([readShapes(database), filledTables(database, copied.programId)]);
  const steps = pace.steps(writtenRows);
  for (const table of filled.toReversed()) {
    const shape = shapeOf(table.name);
    const key = list(shape.key);
    for (let isOver = false; !isOver; ) {
      isOver = await steps.run(async (size) => {
        const remove = {
          sql: `delete from ${table.name} where (${key}) in
            (select ${key} from ${table.name} t where ${table.isOfProgram} limit ${size})`,
          args: [copied.programId],
        };
        const removal = withoutTriggers(firedBy(shape, "DELETE"), [remove]);
        const results = await guarded(client.batch([deferred, guard(copied, place), ...removal], "write"));
        return (results[2 + removal.indexOf(remove)]?.rowsAffected ?? 0) < size;
      });
    }
  }
}
