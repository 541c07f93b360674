import type { Database } from "#store/database.ts";
import { ExplainedError } from "../command.ts";
import { compare, isCompared } from "./compare.ts";
import { copyRanges } from "./copy.ts";
import type { Copied } from "./guarded.ts";
import { Pace, type PaceClock } from "./pace.ts";
import type { Places, Range } from "./pages.ts";
import { countRows, filledTables, readShapes, type Shapes } from "./shapes.ts";
import { type BookTable, bookTables } from "./tables.ts";

export interface Copying extends Places {
  readonly target: Database;
  readonly copied: Copied;
}

/** After a shorter copy little has changed meanwhile. */
const shortMs = 10_000;
const maxCopies = 4;

/** Of a program that goes on. What it writes meanwhile may be missing. */
export async function copyBooks(copying: Copying, clock: PaceClock): Promise<void> {
  for (let copies = 1; ; copies += 1) {
    const begunAt = clock.now();
    const pace = new Pace(clock, { isAwaited: false });
    const { empty, filled } = await wholeOf(copying);
    const { differing } = await compare(copying, filled, pace);
    await copyRanges(copying, [...empty, ...differing], pace);
    if (clock.now() - begunAt < shortMs || copies === maxCopies) return;
  }
}

/** Each copy may leave what refers to rows of the next one. */
const maxRests = 5;

/** Of a program that is frozen: copies what differs, until nothing does. `removeAll`: the rows that the target has. */
export async function copyRest(copying: Copying, pace: Pace, removeAll: () => Promise<void>): Promise<void> {
  if ((await copyDifferences(copying, pace)).length === 0) return;
  // Rows that refer to each other's new values, say, can't be copied page by page over the old ones.
  await removeAll();
  const differing = await copyDifferences(copying, pace);
  if (differing.length === 0) return;
  throw new ExplainedError(
    `The copy differs from the program in ${differing.join(", ")}. Nothing was changed: abandon the move.`,
  );
}

/** Returns the tables that differ all the same. */
async function copyDifferences(copying: Copying, pace: Pace): Promise<readonly string[]> {
  const { empty, filled } = await wholeOf(copying);
  const all = [...empty, ...filled];
  const first = await compare(copying, all, pace);
  // What is not compared may have changed too.
  const uncompared = all.filter(({ shape }) => !shape.columns.every(isCompared));
  let { differing } = first;
  await copyRanges(copying, [...uncompared, ...differing], pace);
  for (let rests = 0; differing.length > 0; rests += 1) {
    ({ differing } = await compare(copying, differing, pace));
    const isOver = rests === maxRests || (await copyRanges(copying, differing, pace)) === 0;
    if (isOver && differing.length > 0) return [...new Set(differing.map(({ table }) => table.name))];
  }
  const { programId, source, target } = copying;
  const [here, there] = await Promise.all([countRows(source, programId), countRows(target, programId)]);
  // As many rows as the table has were compared.
  return bookTables
    .filter(({ name }, i) => here[i] !== there[i] || here[i] !== (first.rows.get(name) ?? 0))
    .map(({ name }) => name);
}

/** All rows of the program. `empty`: of tables of which the target has none. */
export async function wholeOf({ programId, source, target }: Copying) {
  const [shapeOf, sourceShapeOf, here, there] = await Promise.all([
    readShapes(target),
    readShapes(source),
    filledTables(source, programId),
    filledTables(target, programId),
  ]);
  const columnsOf = (shapes: Shapes) => JSON.stringify(bookTables.map(({ name }) => shapes(name).columns));
  if (columnsOf(shapeOf) !== columnsOf(sourceShapeOf)) {
    throw new ExplainedError(
      "The databases of the two shards have different migrations. Deploy, or start the service, first.",
    );
  }
  const whole = (table: BookTable): Range => ({
    table,
    shape: shapeOf(table.name),
    after: undefined,
    until: undefined,
  });
  const isEmpty = (table: BookTable) => !there.includes(table);
  return {
    empty: here.filter(isEmpty).map(whole),
    filled: bookTables.filter((table) => !isEmpty(table)).map(whole),
  };
}
