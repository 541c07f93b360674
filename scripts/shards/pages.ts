import { setTimeout as delay } from "node:timers/promises";
import { restAfter } from "#domain/rest.ts";
import { DatabaseError } from "#store/database.ts";
import type { SqlValue } from "#store/statement.ts";
import { list, orderOf, type Reader, type Shape } from "./shapes.ts";
import type { BookTable } from "./tables.ts";

/** The number of rows of a page. Calls of other programs wait while a page is written. */
export const rowsOfPage = 1_000;

/** Runs a step, and then pauses for as long as the step took, so that other programs can use their database. */
export async function rested<T>(step: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await step();
  await delay(restAfter(performance.now() - startedAt, 1));
  return result;
}

type Values = readonly SqlValue[];

/** A program's rows in a table, with some of the table's columns. */
export interface Part {
  readonly programId: number;
  readonly table: BookTable;
  readonly shape: Shape;
  readonly columns: readonly string[];
}

/**
 * Selects a page of rows as JSON, an array of arrays. All tables are STRICT and have only integers and texts, so no
 * value is rounded.
 */
function pageStatement({ programId, table, shape, columns }: Part, after: Values) {
  const [names, order] = [list(columns), list(orderOf(table, shape))];
  const from = after.length === 0 ? "" : `and (${order}) > (${after.map((_, i) => `?${i + 2}`).join(", ")})`;
  return (rows: number) => ({
    sql: `select json_group_array(json_array(${names})) from (
      select ${names} from ${table.name} t where ${table.isWithin} ${from} order by ${order} limit ${rows})`,
    args: [programId, ...after],
  });
}

interface Page {
  readonly texts: readonly string[];
  readonly rows: readonly Values[];
  readonly isLast: boolean;
}

/** Reads a page. A database server's response has at most 10 MB, so a page has fewer rows if their texts are long. */
async function readPage(
  databases: readonly Reader[],
  statement: ReturnType<typeof pageStatement>,
  most = rowsOfPage,
): Promise<Page> {
  try {
    const found = await Promise.all(databases.map((database) => database.read([statement(most)])));
    const texts = found.map(([result]) => String(result?.[0]?.[0]));
    const rows = JSON.parse(texts[0] ?? "[]") as Values[];
    return { texts, rows, isLast: rows.length < most };
  } catch (error) {
    if (most === 1 || !(error instanceof DatabaseError)) throw error;
    return readPage(databases, statement, most / 10);
  }
}

/**
 * Calls `use` with the rows page by page, as text from each of the databases. Each next page begins after the last row
 * of the first database's page. Returns the number of rows in the first database.
 */
export async function eachPage(
  databases: readonly Reader[],
  part: Part,
  use: (texts: readonly string[]) => Promise<void>,
): Promise<number> {
  let count = 0;
  for (let after: Values = []; ; ) {
    const { rows, isLast } = await rested(async () => {
      const page = await readPage(databases, pageStatement(part, after));
      await use(page.texts);
      return page;
    });
    count += rows.length;
    const last = rows.at(-1);
    if (isLast || last === undefined) return count;
    after = orderOf(part.table, part.shape).map((name) => last[part.columns.indexOf(name)] ?? null);
  }
}
