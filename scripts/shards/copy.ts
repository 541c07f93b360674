import type { Client, Value } from "@libsql/client/http";
import type { Database } from "#store/database.ts";
import { insertUnfolded } from "#store/multi-row.ts";
import type { SqlValue } from "#store/statement.ts";
import { type Copied, deferred, failUnless, firedBy, guard, guarded, withoutTriggers, writtenRows } from "./guarded.ts";
import type { Pace, Steps } from "./pace.ts";
import { pageStatement, rowsIn, type Values } from "./pages.ts";
import { filledTables, list, orderOf, quoted, type Reader, readerOf, readShapes, type Shape } from "./shapes.ts";
import { type BookTable, bookTables } from "./tables.ts";

interface Copying {
  readonly source: Reader;
  readonly target: Database;
  readonly copied: Copied;
  readonly table: BookTable;
  readonly shape: Shape;
  readonly steps: Steps;
}

/**
 * Copies the rows of a table, in its order, from where an earlier copy ended. Counts and balances come as rows, so nothing may
 * count them again: the table's triggers are away for the time of each batch.
 */
async function copyTable(copying: Copying, isBegun: boolean): Promise<void> {
  let { atMost } = writtenRows;
  for (let from = isBegun; ; from = true) {
    try {
      await copyPages(copying, from ? await lastKey(copying) : undefined, atMost);
      return;
    } catch (error) {
      // A server answers with 10 MB at most, and rows may have long texts.
      if (atMost === 1) throw error;
      atMost = Math.ceil(Math.min(atMost, copying.steps.size) / 10);
    }
  }
}

/** Reads each page while the one before it is written. */
async function copyPages(copying: Copying, last: Values | undefined, atMost: number): Promise<void> {
  const { steps } = copying;
  const pageAfter = (key: Values | undefined) => readPage(copying, key, Math.min(steps.size, atMost));
  for (let page = await pageAfter(last); page.last !== undefined; ) {
    const { json, isLast } = page;
    const after = page.last;
    if (isLast) return steps.runPart(() => writePage(copying, json));
    page = await steps.run(async () => {
      // A failed read doesn't end the write, which the next attempt has to see.
      const [written, next] = await Promise.allSettled([writePage(copying, json), pageAfter(after)]);
      if (written.status === "rejected") throw written.reason;
      if (next.status === "rejected") throw next.reason;
      return next.value;
    });
  }
}

interface Page {
  readonly json: string;
  /** The key of the last row. Undefined: there is none. */
  readonly last: Values | undefined;
  readonly isLast: boolean;
}

async function readPage(
  { source, copied, table, shape }: Copying,
  after: Values | undefined,
  rows: number,
): Promise<Page> {
  const page = { programId: copied.programId, table, shape, after, rows };
  const [[row] = []] = await source.read([pageStatement(page, shape.columns)]);
  const json = String(row?.[0]);
  const { count, last } = rowsIn(json, page, shape.columns);
  return { json, last, isLast: count < rows };
}

async function writePage({ target, copied, table, shape }: Copying, json: string): Promise<void> {
  const { columns: names } = shape;
  const insert = {
    sql: insertUnfolded(`insert into ${table.name} (${list(names)})`, names.length),
    args: [json],
  };
  const statements = [deferred, guard(copied, "arriving"), ...withoutTriggers(firedBy(shape, "INSERT"), [insert])];
  await guarded(target.write(statements));
}

async function lastKey({ target, copied, table, shape }: Copying): Promise<Values | undefined> {
  const order = orderOf(table, shape);
  const select = {
    sql: `select ${list(order)} from ${table.name} t where ${table.isWithin}
      order by ${order.map((name) => `${quoted(name)} desc`).join(", ")} limit 1`,
    args: [copied.programId],
  };
  const [[row] = []] = await target.read([select]);
  return row && (Array.from(row) as SqlValue[]);
}

/** All but the program's own row, which is there and arriving. */
export async function copyBooks(source: Reader, target: Database, copied: Copied, pace: Pace): Promise<void> {
  const [shapeOf, filled, begun] = await Promise.all([
    readShapes(target),
    filledTables(source, copied.programId),
    filledTables(target, copied.programId),
  ]);
  const steps = pace.steps(writtenRows);
  for (const table of filled) {
    await copyTable({ source, target, copied, table, shape: shapeOf(table.name), steps }, begun.includes(table));
  }
}

/** Inserts the program's own row, as arriving, or has a row that it left here arrive again. Fails if the target has other rows of it. */
export async function copyProgram(
  source: Client,
  target: Client,
  { programId, moveId, from }: Copied & { readonly from: number },
): Promise<void> {
  const [shapeOf, { rows }] = await Promise.all([
    readShapes(readerOf(target)),
    source.execute({ sql: "select * from programs where id = ?", args: [programId] }),
  ]);
  const { columns: names } = shapeOf("programs");
  const [row] = rows;
  if (row === undefined) throw new Error(`the source has no program ${programId}`);
  const arriving: Readonly<Record<string, Value>> = {
    place: "arriving",
    left_to: from,
    leave_by: null,
    move_id: moveId,
  };
  const changed = names.filter((name) => name !== "id").map((name) => `${quoted(name)} = excluded.${quoted(name)}`);
  const isEmpty = bookTables.map(
    ({ name, isOfProgram }) => `not exists (select 1 from ${name} t where ${isOfProgram})`,
  );
  const statements = [
    failUnless(isEmpty.join(" and "), [programId]),
    {
      sql: "insert into workspaces (id, name, created_at) values (?, '', ?) on conflict do nothing",
      args: [row.workspace_id ?? null, row.created_at ?? null],
    },
    {
      sql: `insert into programs (${list(names)}) values (${names.map(() => "?").join(", ")})
          on conflict (id) do update set ${changed.join(", ")} where programs.place <> 'here' and coalesce(programs.move_id, 0) < ${moveId}`,
      args: names.map((name) => (name in arriving ? (arriving[name] ?? null) : (row[name] ?? null))),
    },
    guard({ programId, moveId }, "arriving"),
  ];
  await guarded(target.batch(statements, "write"));
}
