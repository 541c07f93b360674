import type { Client } from "@libsql/client/http";
import type { Database } from "#store/database.ts";
import { type BookTable, bookTables } from "./tables.ts";

export type Reader = Pick<Database, "read">;

export interface Shape {
  readonly columns: readonly string[];
  readonly key: readonly string[];
  readonly triggers: readonly { readonly name: string; readonly sql: string }[];
}

export const quoted = (name: string): string => `"${name}"`;
export const list = (names: readonly string[]): string => names.map(quoted).join(", ");

export const readerOf = (client: Client): Reader => ({
  read: async (statements) => (await client.batch([...statements], "read")).map(({ rows }) => rows),
});

/** The clause of an insert that overwrites an existing row, except for its key. */
export function onConflictUpdate({ columns, key }: Shape): string {
  const others = columns
    .filter((name) => !key.includes(name))
    .map((name) => `${quoted(name)} = excluded.${quoted(name)}`);
  return `on conflict (${list(key)}) do update set ${others.join(", ")}`;
}

export type Shapes = (table: string) => Shape;

export async function readShapes(database: Reader): Promise<Shapes> {
  const [columns = [], triggers = []] = await database.read([
    {
      sql: `select m.name, c.name, c.pk from sqlite_master m, pragma_table_info(m.name) c
        where m.type = 'table' order by m.name, c.cid`,
      args: [],
    },
    { sql: "select tbl_name, name, sql from sqlite_master where type = 'trigger' order by name", args: [] },
  ]);
  return (table) => {
    const found = columns.filter((row) => row[0] === table);
    const key = found.filter((row) => Number(row[2]) > 0).sort((a, b) => Number(a[2]) - Number(b[2]));
    return {
      columns: found.map((row) => String(row[1])),
      key: key.map((row) => String(row[1])),
      triggers: triggers
        .filter((row) => row[0] === table)
        .map((row) => ({ name: String(row[1]), sql: String(row[2]) })),
    };
  };
}

/** The columns by which rows are read page by page. */
export const orderOf = ({ order }: BookTable, { key }: Shape): readonly string[] =>
  // Leaves out the column `program_id`, which is equal in all rows. Comparing it too would make the read of each page
  // first skip all earlier rows.
  order ?? (key.length > 1 ? key.filter((name) => name !== "program_id") : key);

const counts = bookTables.map(({ name, isOfProgram }) => `(select count(*) from ${name} t where ${isOfProgram})`);

/** The number of the program's rows in each of its tables. */
export async function countRows(database: Reader, programId: number): Promise<readonly number[]> {
  const [[row] = []] = await database.read([{ sql: `select ${counts.join(", ")}`, args: [programId] }]);
  return bookTables.map((_, i) => Number(row?.[i]));
}

/** True if there are rows of the program other than its own row in `programs`. */
export const hasBooks = async (client: Client, programId: number): Promise<boolean> =>
  (await countRows(readerOf(client), programId)).some((count) => count > 0);
