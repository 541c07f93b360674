import { DatabaseError } from "#store/database.ts";
import { ExplainedError } from "../command.ts";
import type { Pace, Steps } from "./pace.ts";
import { type PageOf, pageStatement, rowsIn, type Values } from "./pages.ts";
import { countRows, type Reader, readShapes, type Shape } from "./shapes.ts";
import { type BookTable, bookTables } from "./tables.ts";

/** Of all tables together. */
const comparedRows = { first: 1_000, atLeast: 300, atMost: 2_000 };

interface Compared {
  readonly programId: number;
  readonly source: Reader;
  readonly target: Reader;
}

interface Uncompared {
  readonly table: BookTable;
  readonly shape: Shape;
  /** The key of the last row that was compared. */
  readonly after: Values | undefined;
  /** Rows that are left. */
  readonly count: number;
}

/** Key use is written without a decision, even while the program leaves. */
const comparedOf = ({ columns }: Shape): readonly string[] => columns.filter((name) => name !== "last_used_at");

/**
 * The tables that differ between both databases, in the number of their rows or in any character of one. Compares a page of each at
 * once, and then those after them.
 */
export async function differences(compared: Compared, pace: Pace): Promise<string[]> {
  const { programId, source, target } = compared;
  const [shapeOf, here, there] = await Promise.all([
    readShapes(source),
    countRows(source, programId),
    countRows(target, programId),
  ]);
  const differing = bookTables.filter((_, i) => here[i] !== there[i]).map(({ name }) => name);
  const steps = pace.steps(comparedRows);
  let left = bookTables.flatMap((table, i): Uncompared[] =>
    here[i] === 0 || here[i] !== there[i]
      ? []
      : [{ table, shape: shapeOf(table.name), after: undefined, count: here[i] ?? 0 }],
  );
  for (let { atMost } = comparedRows; left.length > 0; ) {
    try {
      const pages = await comparePages(compared, left, steps, atMost);
      differing.push(...pages.filter(({ isEqual }) => !isEqual).map(({ table }) => table.name));
      left = pages.filter(({ isEqual, count }) => isEqual && count > 0);
    } catch (error) {
      // A server answers with 10 MB at most, and rows may have long texts.
      const isTooMuch = error instanceof DatabaseError && ["refused", "statement"].includes(error.fault.kind);
      if (atMost === 1 || !isTooMuch) throw error;
      atMost = Math.ceil(Math.min(atMost, steps.size) / 10);
    }
  }
  return differing;
}

/** What is left after a page of each. */
function comparePages(
  { programId, source, target }: Compared,
  left: readonly Uncompared[],
  steps: Steps,
  atMost: number,
): Promise<readonly (Uncompared & { readonly isEqual: boolean })[]> {
  return steps.run(async (size) => {
    const rows = Math.ceil(Math.min(size, atMost) / left.length);
    const pages = left.map((each): PageOf => ({ ...each, programId, rows }));
    const statements = pages.map((page) => pageStatement(page, comparedOf(page.shape)));
    const [here, there] = await Promise.all([source.read(statements), target.read(statements)]);
    return left.map((each, i) => {
      const json = String(here[i]?.[0]?.[0]);
      const { count, last } = rowsIn(json, { ...each, programId, rows }, comparedOf(each.shape));
      // As many rows as the table has were to come.
      const isEqual = json === there[i]?.[0]?.[0] && count === Math.min(rows, each.count);
      return { ...each, after: last, count: each.count - count, isEqual };
    });
  });
}

/** Fails unless the copy has the same rows, character by character. */
export async function compare(compared: Compared, pace: Pace): Promise<void> {
  const differing = await differences(compared, pace);
  if (differing.length === 0) return;
  throw new ExplainedError(
    `The copy differs from the program in ${differing.join(", ")}. Nothing was changed: abandon the move.`,
  );
}
