import type { SqlValue } from "#store/statement.ts";
import { list, orderOf, type Shape } from "./shapes.ts";
import type { BookTable } from "./tables.ts";

export type Values = readonly SqlValue[];

/** Where a page of a program's rows begins, and how long it is. `after`: the key of the row before it. */
export interface PageOf {
  readonly programId: number;
  readonly table: BookTable;
  readonly shape: Shape;
  readonly after: Values | undefined;
  readonly rows: number;
}

/** One row: the page as JSON, an array of arrays of these columns. All tables are strict and have integers and texts alone, so none is rounded. */
export function pageStatement({ programId, table, shape, after, rows }: PageOf, names: readonly string[]) {
  const order = list(orderOf(table, shape));
  const from = after === undefined ? "" : `and (${order}) > (${after.map((_, i) => `?${i + 2}`).join(", ")})`;
  return {
    sql: `select json_group_array(json_array(${list(names)})) from (
      select ${list(names)} from ${table.name} t where ${table.isWithin} ${from} order by ${order} limit ${rows})`,
    args: [programId, ...(after ?? [])],
  };
}

export interface PageRows {
  readonly count: number;
  /** The key of the last row. Undefined: there is none. */
  readonly last: Values | undefined;
}

export function rowsIn(json: string, { table, shape }: PageOf, names: readonly string[]): PageRows {
  const rows = JSON.parse(json) as readonly Values[];
  const last = rows.at(-1);
  return {
    count: rows.length,
    last: last && orderOf(table, shape).map((name) => last[names.indexOf(name)] ?? null),
  };
}
