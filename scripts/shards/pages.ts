import type { SqlValue } from "#store/statement.ts";
import { list, orderOf, type Reader, type Shape } from "./shapes.ts";
import type { BookTable } from "./tables.ts";

export type Values = readonly SqlValue[];

/** Rows of a program in one table, in the order of its pages. */
export interface Range {
  readonly table: BookTable;
  readonly shape: Shape;
  /** The key of the row before it. Undefined: it has the first row. */
  readonly after: Values | undefined;
  /** The key of its last row. Undefined: it has all that follow. */
  readonly until: Values | undefined;
}

export interface Places {
  readonly programId: number;
  readonly source: Reader;
  readonly target: Reader;
}

const parameters = (values: Values, from: number) => values.map((_, i) => `?${from + i}`).join(", ");

/** One row: the first rows of a range as JSON, an array of arrays of these columns. All tables are strict and have integers and texts alone, so none is rounded. */
function pageStatement(
  programId: number,
  { table, shape, after = [], until = [] }: Range,
  rows: number,
  names: readonly string[],
) {
  const order = list(orderOf(table, shape));
  const from = after.length === 0 ? "" : `and (${order}) > (${parameters(after, 2)})`;
  const to = until.length === 0 ? "" : `and (${order}) <= (${parameters(until, 2 + after.length)})`;
  return {
    sql: `select json_group_array(json_array(${list(names)})) from (
      select ${list(names)} from ${table.name} t where ${table.isWithin} ${from} ${to} order by ${order} limit ${rows})`,
    args: [programId, ...after, ...until],
  };
}

/** As SQLite compares them. */
function compareKeys(one: Values, other: Values): number {
  for (const [i, value] of one.entries()) {
    const against = other[i];
    const order =
      typeof value === "string" && typeof against === "string"
        ? Buffer.compare(Buffer.from(value), Buffer.from(against))
        : Number(value) - Number(against);
    if (order !== 0) return order;
  }
  return 0;
}

/** The rows of both databases between two keys. */
export interface Pair {
  /** Rows of the source that the target doesn't have, or has otherwise. */
  readonly missing: readonly Values[];
  /** Keys of rows that the target alone has. */
  readonly extra: readonly Values[];
  /** The target has none. */
  readonly isNew: boolean;
  /** Of the source. */
  readonly count: number;
  /** Where the next page begins. Undefined: this is the last one. */
  readonly next: Values | undefined;
}

function pairOf(
  { table, shape }: Range,
  rows: number,
  names: readonly string[],
  [here, there]: readonly [string, string],
): Pair {
  const positions = orderOf(table, shape).map((name) => names.indexOf(name));
  const keyOf = (row: Values): Values => positions.map((position) => row[position] ?? null);
  const [source, target] = [JSON.parse(here) as Values[], there === here ? [] : (JSON.parse(there) as Values[])];
  // A full page may end before the other database's.
  const [next] = [source, target]
    .filter((page) => page.length === rows)
    .map((page) => keyOf(page[rows - 1] ?? []))
    .sort(compareKeys);
  if (here === there) return { missing: [], extra: [], isNew: false, count: source.length, next };
  const isWithin = (row: Values) => next === undefined || compareKeys(keyOf(row), next) <= 0;
  const named = (row: Values): readonly [string, Values] => [JSON.stringify(keyOf(row)), row];
  const wanted = new Map(source.filter(isWithin).map(named));
  const found = new Map(target.filter(isWithin).map(named));
  const isFound = (key: string, row: Values) => JSON.stringify(found.get(key)) === JSON.stringify(row);
  return {
    missing: [...wanted].filter(([key, row]) => !isFound(key, row)).map(([, row]) => row),
    extra: [...found].filter(([key]) => !wanted.has(key)).map(([, row]) => keyOf(row)),
    isNew: found.size === 0,
    count: wanted.size,
    next,
  };
}

/** A page of each range, in one request to each database. */
export async function readPairs(
  { programId, source, target }: Places,
  ranges: readonly Range[],
  rows: number,
  columnsOf: (shape: Shape) => readonly string[],
): Promise<readonly Pair[]> {
  const statements = ranges.map((range) => pageStatement(programId, range, rows, columnsOf(range.shape)));
  const [here, there] = await Promise.all([source.read(statements), target.read(statements)]);
  return ranges.map((range, i) =>
    pairOf(range, rows, columnsOf(range.shape), [String(here[i]?.[0]?.[0]), String(there[i]?.[0]?.[0])]),
  );
}
