import { getTableColumns, getTableName, type Table } from "drizzle-orm";

/**
 * Returns a statement that copies a row `count` times. `changes` maps columns to SQL expressions over the row's columns
 * and `v`, the number of the copy from 1.
 */
export function copiesOf(table: Table, id: number, count: number, changes: Readonly<Record<string, string>>) {
  const columns = Object.values(getTableColumns(table)).map(({ name }) => name);
  const values = columns.map((name) => changes[name] ?? name);
  return {
    sql: `insert into ${getTableName(table)} (${columns.join(", ")})
      with recursive numbers(v) as (select 1 union all select v + 1 from numbers where v < ?)
      select ${values.join(", ")} from ${getTableName(table)}, numbers where id = ?`,
    args: [count, id],
  };
}
