import { type Database, DatabaseError } from "#store/database.ts";
import { insertUnfolded } from "#store/multi-row.ts";
import type { Statement } from "#store/statement.ts";
import { type Copied, deferred, firedBy, guard, guarded, withoutTriggers, writtenRows } from "./guarded.ts";
import type { Pace, Steps } from "./pace.ts";
import { type Pair, type Range, readPairs, type Values } from "./pages.ts";
import { list, onConflictUpdate, orderOf, type Reader } from "./shapes.ts";
import { bookTables } from "./tables.ts";

interface Copying {
  readonly source: Reader;
  readonly target: Database;
  readonly copied: Copied;
  readonly steps: Steps;
}

/**
 * Makes the rows of these ranges equal to the source's. Skips a page that refers to rows which the target doesn't have yet: what a
 * program writes meanwhile comes in any order. Returns how many rows were written or removed.
 */
export async function copyRanges(
  { source, target, copied }: Omit<Copying, "steps">,
  ranges: readonly Range[],
  pace: Pace,
): Promise<number> {
  const copying = { source, target, copied, steps: pace.steps(writtenRows) };
  const inOrder = bookTables.flatMap(({ name }) => ranges.filter(({ table }) => table.name === name));
  let written = 0;
  const extra: { readonly range: Range; readonly keys: Values[] }[] = [];
  for (const range of inOrder) {
    const keys: Values[] = [];
    written += await copyRange(copying, range, keys);
    if (keys.length > 0) extra.push({ range, keys });
  }
  // Rows that others refer to go last.
  for (const { range, keys } of extra.reverse()) written += await removeRows(copying, range, keys);
  return written;
}

async function copyRange(copying: Copying, range: Range, extra: Values[]): Promise<number> {
  let written = 0;
  for (let left: Range | undefined = range; left !== undefined; ) {
    try {
      for await (const copied of copyPages(copying, left)) {
        written += copied.written;
        extra.push(...copied.extra);
        left = copied.next && { ...range, after: copied.next };
      }
    } catch (error) {
      copying.steps.shrinkAfter(error);
    }
  }
  return written;
}

interface CopiedPage extends Pick<Pair, "extra" | "next"> {
  readonly written: number;
}

/** Reads each page while the one before it is written. */
async function* copyPages(copying: Copying, range: Range): AsyncGenerator<CopiedPage> {
  const { source, target, copied, steps } = copying;
  const places = { programId: copied.programId, source, target };
  const pageAfter = async (after: Values | undefined) => {
    const [pair] = await readPairs(places, [{ ...range, after }], steps.size, (each) => each.columns);
    return pair;
  };
  for (let following = await pageAfter(range.after); following !== undefined; ) {
    const page: Pair = following;
    const { extra, next } = page;
    const step = async () => {
      // A failed read doesn't end the write, which the next attempt has to see.
      const [written, read] = await Promise.allSettled([writeRows(copying, range, page), next && pageAfter(next)]);
      if (written.status === "rejected") throw written.reason;
      if (read.status === "rejected") throw read.reason;
      return { written: written.value, read: read.value };
    };
    const { written, read } = await (next === undefined ? steps.runPart(step) : steps.run(step));
    yield { written, extra, next };
    following = read;
  }
}

/** Counts and balances come as rows, so nothing may count them again: the table's triggers are away for the time of each batch. */
async function writeRows(copying: Copying, { table, shape }: Range, { missing: rows, isNew }: Pair): Promise<number> {
  if (rows.length === 0) return 0;
  const { columns: names } = shape;
  const args = [JSON.stringify(rows)];
  const insert = (verb: string, onConflict = "") => ({
    sql: insertUnfolded(`${verb} into ${table.name} (${list(names)})`, names.length, onConflict),
    args,
  });
  const onInsert = firedBy(shape, "INSERT");
  const ways = [
    ...(isNew ? [withoutTriggers(onInsert, [insert("insert")])] : []),
    withoutTriggers(firedBy(shape, "INSERT", "UPDATE"), [insert("insert", ` ${onConflictUpdate(shape)}`)]),
    // Where a unique value has passed from one row to another. Whatever refers to a row that is replaced is looked for.
    withoutTriggers(onInsert, [insert("insert or replace")]),
  ];
  for (const way of ways) if (await write(copying, way)) return rows.length;
  return 0;
}

async function removeRows(copying: Copying, { table, shape }: Range, keys: readonly Values[]): Promise<number> {
  const order = orderOf(table, shape);
  const wanted = order.map((_, i) => `value ->> ${i}`).join(", ");
  let removed = 0;
  for (let from = 0; from < keys.length; ) {
    const page = keys.slice(from, from + copying.steps.size);
    const remove = {
      sql: `delete from ${table.name} as t where ${table.isWithin} and (${list(order)}) in (select ${wanted} from json_each(?2))`,
      args: [copying.copied.programId, JSON.stringify(page)],
    };
    const isDone = await copying.steps.run(() => write(copying, withoutTriggers(firedBy(shape, "DELETE"), [remove])));
    if (isDone) removed += page.length;
    from += page.length;
  }
  return removed;
}

/** Returns false if rows that they refer to, that refer to them or have their values are not as they will be. Nothing was written then. */
async function write({ target, copied }: Copying, statements: readonly Statement[]): Promise<boolean> {
  try {
    await guarded(target.write([deferred, guard(copied, "arriving"), ...statements]));
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && isOfReferences(error.cause)) return false;
    throw error;
  }
}

const isOfReferences = (cause: unknown): boolean =>
  cause instanceof Error && /(FOREIGN KEY|UNIQUE) constraint failed/.test(cause.message);
