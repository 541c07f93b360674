import { ExplainedError } from "../command.ts";
import type { Copying } from "./copy.ts";
import { eachPage } from "./pages.ts";
import { countRows, readShapes } from "./shapes.ts";
import { bookTables } from "./tables.ts";

/** False for the time of a key's last use, because it is also written while the program is frozen. */
const isCompared = (column: string): boolean => column !== "last_used_at";

/** Throws unless both databases have exactly the same rows of the program. */
export async function compareBooks({ copied: { programId }, source, target }: Copying): Promise<void> {
  const [shapeOf, here, there] = await Promise.all([
    readShapes(target),
    countRows(source, programId),
    countRows(target, programId),
  ]);
  for (const [i, table] of bookTables.entries()) {
    if (here[i] === 0 && there[i] === 0) continue;
    const shape = shapeOf(table.name);
    const columns = shape.columns.filter(isCompared);
    const compared = await eachPage([source, target], { programId, table, shape, columns }, async ([one, other]) => {
      if (one !== other) throw differs(table.name);
    });
    // Fails if a row was in no page and therefore wasn't compared.
    if (compared !== here[i] || compared !== there[i]) throw differs(table.name);
  }
}

const differs = (table: string) =>
  new ExplainedError(
    `The copy differs from the program in ${table}. Nothing was changed: run the command again, or abandon the move.`,
  );
