import type { Database } from "#store/database.ts";
import { insertUnfolded } from "#store/multi-row.ts";
import { ExplainedError } from "../command.ts";
import { type Copied, deferred, firedBy, guard, guarded, withoutTriggers } from "./guarded.ts";
import { eachPage } from "./pages.ts";
import { countRows, list, type Reader, readShapes, type Shapes } from "./shapes.ts";
import { bookTables } from "./tables.ts";

export interface Copying {
  readonly copied: Copied;
  readonly source: Reader;
  readonly target: Pick<Database, "read" | "write">;
}

/**
 * Copies the rows of a frozen program to a target that has none. Counts and balances are copied as rows, so the
 * triggers that maintain them are dropped during the copy.
 */
export async function copyBooks({ copied, source, target }: Copying): Promise<void> {
  const { programId } = copied;
  const [shapeOf, counts] = await Promise.all([requireSameShapes(source, target), countRows(source, programId)]);
  for (const table of bookTables.filter((_, i) => counts[i] !== 0)) {
    const shape = shapeOf(table.name);
    const { columns } = shape;
    const sql = insertUnfolded(`insert into ${table.name} (${list(columns)})`, columns.length);
    await eachPage([source], { programId, table, shape, columns }, async ([rows = "[]"]) => {
      const insert = withoutTriggers(firedBy(shape, "INSERT"), [{ sql, args: [rows] }]);
      await guarded(target.write([deferred, guard(copied, "arriving"), ...insert]));
    });
  }
}

async function requireSameShapes(source: Reader, target: Reader): Promise<Shapes> {
  const [here, there] = await Promise.all([readShapes(source), readShapes(target)]);
  const columnsOf = (shapes: Shapes) => JSON.stringify(bookTables.map(({ name }) => shapes(name).columns));
  if (columnsOf(here) === columnsOf(there)) return there;
  throw new ExplainedError(
    "The databases of the two shards have different migrations. Deploy, or start the service, first.",
  );
}
