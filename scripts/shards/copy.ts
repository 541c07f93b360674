import type { Client, InStatement, Row, Value } from "@libsql/client/http";
import type { Database } from "#store/database.ts";
import type { SqlValue } from "#store/statement.ts";
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

type Shapes = (table: string) => Shape;

async function readShapes(client: Client): Promise<Shapes> {
  const [columns, triggers] = await client.batch(
    [
      `select m.name as "table", c.name, c.type, c.pk from sqlite_master m, pragma_table_info(m.name) c
       where m.type = 'table' order by m.name, c.cid`,
      "select tbl_name as \"table\", name, sql from sqlite_master where type = 'trigger' order by name",
    ],
    "read",
  );
  return (table) => {
    const isOfTable = (row: Row) => row.table === table;
    const found = (columns?.rows ?? []).filter(isOfTable);
    const key = found.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk));
    return {
      columns: found.map(({ name, type }) => ({
        name: String(name),
        isInteger: String(type).toUpperCase() === "INTEGER",
      })),
      key: key.map(({ name }) => String(name)),
      triggers: (triggers?.rows ?? [])
        .filter(isOfTable)
        .map(({ name, sql }) => ({ name: String(name), sql: String(sql) })),
    };
  };
}

const isFilled = bookTables.map(({ name, isOfProgram }) => `exists (select 1 from ${name} t where ${isOfProgram})`);
const selectFilled = (programId: number) => ({ sql: `select ${isFilled.join(", ")}`, args: [programId] });
/** The book tables that have rows of the program. */
const filledIn = (row: ArrayLike<unknown> | undefined) => bookTables.filter((_, i) => Number(row?.[i]) === 1);

/** Whether there is any row of the program but its own. */
export const hasBooks = async (client: Client, programId: number): Promise<boolean> =>
  filledIn((await client.execute(selectFilled(programId))).rows[0]).length > 0;

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

type Values = readonly SqlValue[];

type Source = Pick<Database, "read">;

interface Copying {
  readonly source: Source;
  readonly target: Client;
  readonly copied: Copied;
  readonly table: BookTable;
  readonly shape: Shape;
}

/**
 * Copies the rows of a table, by its key, from where an earlier copy ended. Counts and balances come as rows, so nothing may
 * count them again: the table's triggers are away for the time of each batch.
 */
async function copyTable(copying: Copying): Promise<void> {
  let pageRows = Math.min(maxRows, Math.floor(maxValues / copying.shape.columns.length));
  for (;;) {
    try {
      await copyPages(copying, pageRows);
      return;
    } catch (error) {
      // A server answers with 10 MB at most, and rows may have long texts.
      if (pageRows === 1) throw error;
      pageRows = Math.ceil(pageRows / 10);
    }
  }
}

/** Reads each page while the one before it is written. */
async function copyPages(copying: Copying, pageRows: number): Promise<void> {
  const names = namesOf(copying.shape);
  const keyOf = (row: Values) => copying.shape.key.map((name) => row[names.indexOf(name)] ?? null);
  const pageAfter = (key: Values | undefined) => readPage(copying, key, pageRows);
  let page = await pageAfter(await lastKey(copying));
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    // A failed read doesn't end the write, which the next attempt has to see.
    const [written, next] = await Promise.allSettled([writePage(copying, page), pageAfter(keyOf(last))]);
    if (written.status === "rejected") throw written.reason;
    if (next.status === "rejected") throw next.reason;
    page = next.value;
  }
}

const namesOf = ({ columns }: Shape): readonly string[] => columns.map(({ name }) => name);

async function readPage(
  { source, copied, table, shape }: Copying,
  after: Values | undefined,
  pageRows: number,
): Promise<readonly Values[]> {
  const key = list(shape.key);
  const from = after === undefined ? "" : `and (${key}) > (${shape.key.map((_, i) => `?${i + 2}`).join(", ")})`;
  const page = {
    sql: `select ${list(namesOf(shape))} from ${table.name} t where ${table.isOfProgram} ${from} order by ${key} limit ${pageRows}`,
    args: [copied.programId, ...(after ?? [])],
  };
  const [rows = []] = await source.read([page]);
  return rows as readonly Values[];
}

async function writePage({ target, copied, table, shape }: Copying, page: readonly Values[]): Promise<void> {
  const insert = {
    sql: `insert into ${table.name} (${list(namesOf(shape))}) values ${page.map((row) => `(${row.map(literal).join(",")})`).join(",")}`,
    args: page.flat().filter((value) => literal(value) === "?"),
  };
  await guarded(target, [deferred, guard(copied, "arriving"), ...withoutTriggers(shape, [insert])]);
}

/** Most values are null or integers, which take less time as part of the statement than as parameters. */
function literal(value: SqlValue): string {
  if (value === null) return "null";
  return Number.isSafeInteger(value) ? String(value) : "?";
}

async function lastKey({ target, copied, table, shape: { key } }: Copying): Promise<Values | undefined> {
  const order = key.map((name) => `${quoted(name)} desc`).join(", ");
  const { rows } = await target.execute({
    sql: `select ${list(key)} from ${table.name} t where ${table.isOfProgram} order by ${order} limit 1`,
    args: [copied.programId],
  });
  return rows[0] && (Object.values(rows[0]) as SqlValue[]);
}

/** All but the program's own row, which is there and arriving. */
export async function copyBooks(source: Source, target: Client, copied: Copied): Promise<void> {
  const [shapeOf, [rows = []]] = await Promise.all([readShapes(target), source.read([selectFilled(copied.programId)])]);
  for (const table of filledIn(rows[0])) await copyTable({ source, target, copied, table, shape: shapeOf(table.name) });
}

/** Inserts the program's own row, as arriving, or has a row that it left here arrive again. Fails if the target has other rows of it. */
export async function copyProgram(
  source: Client,
  target: Client,
  { programId, moveId, from }: Copied & { readonly from: number },
): Promise<void> {
  const [shapeOf, { rows }] = await Promise.all([
    readShapes(target),
    source.execute({ sql: "select * from programs where id = ?", args: [programId] }),
  ]);
  const names = namesOf(shapeOf("programs"));
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

/** Of each table: the rows, the sum of each integer column and the length of each text. */
async function sumsOf(client: Client, programId: number): Promise<readonly string[]> {
  const shapeOf = await readShapes(client);
  const results = await client.batch(
    bookTables.map(({ name, isOfProgram }) => {
      const sums = shapeOf(name)
        .columns // Kept without a decision, even while the program leaves.
        .filter((column) => column.name !== "last_used_at")
        .map((column) =>
          column.isInteger
            ? // Of large ids alone a sum of 10,000 is more than an integer holds.
              `cast(sum(t.${quoted(column.name)} / ${half}) as text), cast(sum(t.${quoted(column.name)} % ${half}) as text)`
            : `cast(sum(length(t.${quoted(column.name)})) as text)`,
        );
      const sql = `select json_array(count(*), ${sums.join(", ")}) as sums from ${name} t where ${isOfProgram}`;
      return { sql, args: [programId] };
    }),
    "read",
  );
  return results.map(({ rows }) => String(rows[0]?.sums));
}

/** The tables that differ between both databases. */
export async function differences(source: Client, target: Client, programId: number): Promise<string[]> {
  const [here, there] = await Promise.all([sumsOf(source, programId), sumsOf(target, programId)]);
  return bookTables.filter((_, i) => here[i] !== there[i]).map(({ name }) => name);
}

const maxRemoved = 1_000;

/** Removes the program's rows, the last tables first, in bounded steps. Its own row stays, as an address or for another move. */
export async function removeBooks(client: Client, copied: Copied, place: "arriving" | "left"): Promise<void> {
  const [shapeOf, { rows }] = await Promise.all([readShapes(client), client.execute(selectFilled(copied.programId))]);
  for (const table of filledIn(rows[0]).toReversed()) {
    const shape = shapeOf(table.name);
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
