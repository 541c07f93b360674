import type { Client, InStatement, Row, Value } from "@libsql/client/http";
import { ExplainedError } from "../command.ts";
import { type BookTable, bookTables } from "./tables.ts";

/** A program on its way from one database to another. */
export interface Copied {
  readonly programId: number;
  readonly moveId: number;
}

/** A row that is no JSON is an error, which fails the batch. */
const failUnless = (condition: string, args: readonly Value[]): InStatement => ({
  sql: `select iif(${condition}, 1, json('another move'))`,
  args: [...args],
});

interface Shape {
  readonly columns: readonly { readonly name: string; readonly isInteger: boolean }[];
  readonly key: readonly string[];
  readonly triggers: readonly { readonly name: string; readonly sql: string }[];
}

const maxRows = 1_000;
/** SQLite takes 32,766 values in a statement. */
const maxValues = 32_000;

const quoted = (name: string): string => `"${name}"`;
const list = (names: readonly string[]): string => names.map(quoted).join(", ");

async function shapeOf(client: Client, table: string): Promise<Shape> {
  const [columns, triggers] = await client.batch(
    [
      { sql: "select name, type, pk from pragma_table_info(?) order by cid", args: [table] },
      {
        sql: "select name, sql from sqlite_master where type = 'trigger' and tbl_name = ? order by name",
        args: [table],
      },
    ],
    "read",
  );
  const found = columns?.rows ?? [];
  const key = found.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk));
  return {
    columns: found.map(({ name, type }) => ({
      name: String(name),
      isInteger: String(type).toUpperCase() === "INTEGER",
    })),
    key: key.map(({ name }) => String(name)),
    triggers: (triggers?.rows ?? []).map(({ name, sql }) => ({ name: String(name), sql: String(sql) })),
  };
}

async function guarded(client: Client, statements: InStatement[]) {
  try {
    return await client.batch(statements, "write");
  } catch (error) {
    if (!String(error).includes("malformed JSON")) throw error;
    throw new ExplainedError("Another command moves this program, or a migration runs. Run the command again.");
  }
}

/** Fails the batch unless the program still arrives, or is still gone, by this move. */
const guard = ({ programId, moveId }: Copied, place: "arriving" | "left"): InStatement =>
  failUnless("exists (select 1 from programs where id = ? and place = ? and move_id = ?)", [programId, place, moveId]);

/** Fails if a migration has changed the triggers meanwhile. */
const withoutTriggers = ({ triggers }: Shape, statements: readonly InStatement[]): InStatement[] => [
  ...triggers.map(({ name, sql }) =>
    failUnless("exists (select 1 from sqlite_master where name = ? and sql = ?)", [name, sql]),
  ),
  ...triggers.map(({ name }) => `drop trigger ${quoted(name)}`),
  ...statements,
  ...triggers.map(({ sql }) => sql),
];

const deferred = "pragma defer_foreign_keys = on";

/**
 * Copies the rows of a table, by its key, from where an earlier copy ended. Counts and balances come as rows, so nothing may
 * count them again: the table's triggers are away for the time of each batch.
 */
async function copyTable(source: Client, target: Client, copied: Copied, table: BookTable): Promise<void> {
  const shape = await shapeOf(target, table.name);
  let pageRows = Math.min(maxRows, Math.floor(maxValues / shape.columns.length));
  let after = await lastKey(target, copied, table, shape);
  for (;;) {
    try {
      const last = await copyPage({ source, target, copied, table, shape }, after, pageRows);
      if (last === undefined) return;
      after = last;
    } catch (error) {
      // A server answers with 10 MB at most, and rows may have long texts.
      if (pageRows === 1) throw error;
      pageRows = Math.ceil(pageRows / 10);
      after = await lastKey(target, copied, table, shape);
    }
  }
}

interface Copying {
  readonly source: Client;
  readonly target: Client;
  readonly copied: Copied;
  readonly table: BookTable;
  readonly shape: Shape;
}

/** Returns the key of the last row. Undefined: there were none. */
async function copyPage(
  { source, target, copied, table, shape }: Copying,
  after: readonly Value[] | undefined,
  pageRows: number,
): Promise<Value[] | undefined> {
  const names = shape.columns.map(({ name }) => name);
  const key = list(shape.key);
  const from = after === undefined ? "" : `and (${key}) > (${shape.key.map((_, i) => `?${i + 2}`).join(", ")})`;
  const { rows } = await source.execute({
    sql: `select ${list(names)} from ${table.name} t where ${table.isOfProgram} ${from} order by ${key} limit ${pageRows}`,
    args: [copied.programId, ...(after ?? [])],
  });
  const last = rows.at(-1);
  if (last === undefined) return undefined;
  const values = `(${names.map(() => "?").join(", ")})`;
  const insert = {
    sql: `insert into ${table.name} (${list(names)}) values ${rows.map(() => values).join(", ")}`,
    args: rows.flatMap((row) => valuesOf(row, names)),
  };
  await guarded(target, [deferred, guard(copied, "arriving"), ...withoutTriggers(shape, [insert])]);
  return valuesOf(last, shape.key);
}

const valuesOf = (row: Row, names: readonly string[]): Value[] => names.map((name) => row[name] ?? null);

async function lastKey(client: Client, { programId }: Copied, table: BookTable, { key }: Shape) {
  const order = key.map((name) => `${quoted(name)} desc`).join(", ");
  const { rows } = await client.execute({
    sql: `select ${list(key)} from ${table.name} t where ${table.isOfProgram} order by ${order} limit 1`,
    args: [programId],
  });
  return rows[0] && valuesOf(rows[0], key);
}

/** All but the program's own row, which is there and arriving. */
export async function copyBooks(source: Client, target: Client, copied: Copied): Promise<void> {
  for (const table of bookTables) await copyTable(source, target, copied, table);
}

/** Inserts the program's own row, as arriving, or has a row that it left here arrive again. Fails if the target has other rows of it. */
export async function copyProgram(
  source: Client,
  target: Client,
  { programId, moveId, from }: Copied & { readonly from: number },
): Promise<void> {
  const { columns } = await shapeOf(target, "programs");
  const names = columns.map(({ name }) => name);
  const { rows } = await source.execute({ sql: "select * from programs where id = ?", args: [programId] });
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
  await guarded(target, [
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
  ]);
}

const half = 1_000_000;

/** Of one table: the rows, the sum of each integer column and the length of each text. */
async function sumsOf(client: Client, programId: number, { name, isOfProgram }: BookTable): Promise<string> {
  const { columns } = await shapeOf(client, name);
  const sums = columns
    // Kept without a decision, even while the program leaves.
    .filter((column) => column.name !== "last_used_at")
    .map((column) =>
      column.isInteger
        ? // Of large ids alone a sum of 10,000 is more than an integer holds.
          `cast(sum(t.${quoted(column.name)} / ${half}) as text), cast(sum(t.${quoted(column.name)} % ${half}) as text)`
        : `cast(sum(length(t.${quoted(column.name)})) as text)`,
    );
  const { rows } = await client.execute({
    sql: `select json_array(count(*), ${sums.join(", ")}) as sums from ${name} t where ${isOfProgram}`,
    args: [programId],
  });
  return String(rows[0]?.sums);
}

/** The tables that differ between both databases. */
export async function differences(source: Client, target: Client, programId: number): Promise<string[]> {
  const found: string[] = [];
  for (const table of bookTables) {
    const [here, there] = await Promise.all([sumsOf(source, programId, table), sumsOf(target, programId, table)]);
    if (here !== there) found.push(table.name);
  }
  return found;
}

const maxRemoved = 1_000;

/** Removes the program's rows, the last tables first, in bounded steps. Its own row stays, as an address or for another move. */
export async function removeBooks(client: Client, copied: Copied, place: "arriving" | "left"): Promise<void> {
  for (const table of bookTables.toReversed()) {
    const shape = await shapeOf(client, table.name);
    const key = list(shape.key);
    for (let removed = maxRemoved; removed === maxRemoved; ) {
      const remove = {
        sql: `delete from ${table.name} where (${key}) in
          (select ${key} from ${table.name} t where ${table.isOfProgram} limit ${maxRemoved})`,
        args: [copied.programId],
      };
      const results = await guarded(client, [deferred, guard(copied, place), ...withoutTriggers(shape, [remove])]);
      removed = results[2 + 2 * shape.triggers.length]?.rowsAffected ?? 0;
    }
  }
}
