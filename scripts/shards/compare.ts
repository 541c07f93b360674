import type { Client, ResultSet } from "@libsql/client/http";
import type { SqlValue, Statement } from "#store/statement.ts";
import { type AuditedDatabase, auditLedger } from "../audit/ledger.ts";
import { ExplainedError } from "../command.ts";
import type { Pace } from "./pace.ts";
import { filledTables, list, orderOf, quoted, type Reader, readShapes, type Shape } from "./shapes.ts";
import { type BookTable, bookTables } from "./tables.ts";

const comparedRows = { first: 10_000, atLeast: 4_000, atMost: 10_000 };
const auditedQueries = { first: 10, atLeast: 5, atMost: 20 };

const half = 1_000_000;

/** The number of rows, the sum of each integer column and the length of each text. */
const sumsOf = ({ columns }: Shape): string => {
  const sums = columns
    // Kept without a decision, even while the program leaves.
    .filter((column) => column.name !== "last_used_at")
    .map((column) =>
      column.isInteger
        ? // Of large ids alone a sum of 10,000 is more than an integer holds.
          `cast(sum(t.${quoted(column.name)} / ${half}) as text), cast(sum(t.${quoted(column.name)} % ${half}) as text)`
        : `cast(sum(length(t.${quoted(column.name)})) as text)`,
    );
  return `json_array(count(*), ${sums.join(", ")})`;
};

interface Compared {
  readonly programId: number;
  readonly source: Reader;
  readonly target: Reader;
}

interface Uncompared {
  readonly table: BookTable;
  /** The key of the last row that was compared. */
  readonly last: readonly SqlValue[];
}

/** A page's sums, and the key of its last row if it is full. */
function pageOf({ table, last }: Uncompared, shape: Shape, programId: number, rows: number): readonly Statement[] {
  const order = list(orderOf(table, shape));
  const after = last.length === 0 ? "" : `and (${order}) > (${last.map(() => "?").join(", ")})`;
  const page = `from ${table.name} t where ${table.isWithin} ${after} order by ${order} limit`;
  const args = [programId, ...last];
  return [
    { sql: `select ${sumsOf(shape)} from (select * ${page} ${rows}) t`, args },
    { sql: `select ${order} ${page} 1 offset ${rows - 1}`, args },
  ];
}

/** The tables that differ between both databases. Compares a page of each at once, and then those after them. */
export async function differences({ programId, source, target }: Compared, pace: Pace): Promise<string[]> {
  const [shapeOf, ...filled] = await Promise.all([
    readShapes(source),
    filledTables(source, programId),
    filledTables(target, programId),
  ]);
  const steps = pace.steps(comparedRows);
  const differing: string[] = [];
  let left: readonly Uncompared[] = bookTables
    .filter((table) => filled.some((tables) => tables.includes(table)))
    .map((table) => ({ table, last: [] }));
  while (left.length > 0) {
    const [here, there] = await steps.run((size) => {
      const rows = Math.ceil(size / left.length);
      const pages = left.flatMap((each) => pageOf(each, shapeOf(each.table.name), programId, rows));
      return Promise.all([source.read(pages), target.read(pages)]);
    });
    left = left.flatMap(({ table }, i): Uncompared[] => {
      const [sums, end] = [here[2 * i], here[2 * i + 1]];
      if (sums?.[0]?.[0] !== there[2 * i]?.[0]?.[0]) differing.push(table.name);
      else if (end?.[0] !== undefined) return [{ table, last: Array.from(end[0]) as SqlValue[] }];
      return [];
    });
  }
  return differing;
}

/** Nobody writes to the program's books meanwhile, so the queries of a batch need not be one transaction. */
function inSteps(client: Client, pace: Pace): AuditedDatabase {
  const steps = pace.steps(auditedQueries);
  return {
    execute: (query) => steps.runPart(() => client.execute(query)),
    async batch(queries, mode) {
      const answers: ResultSet[] = [];
      while (answers.length < queries.length) {
        const from = answers.length;
        const next = (size: number) => client.batch(queries.slice(from, from + size), mode);
        answers.push(...(await (pace.isResting ? steps.run(next) : steps.runPart(() => next(queries.length)))));
      }
      return answers;
    },
  };
}

const brokenIn = (findings: readonly { readonly broken: string }[] = []): string =>
  findings.map(({ broken }) => broken).join(", ") || "nothing";

interface Side {
  readonly client: Client;
  readonly rows: Reader;
}

export interface Sides {
  readonly programId: number;
  readonly source: Side;
  readonly target: Side;
}

/** Fails unless the copy has the same rows, and the audit finds the same in them. */
export async function compare({ programId, source, target }: Sides, pace: Pace): Promise<void> {
  const differing = await differences({ programId, source: source.rows, target: target.rows }, pace);
  if (differing.length > 0) {
    throw new ExplainedError(
      `The copy differs from the program in ${differing.join(", ")}. Nothing was changed: abandon the move.`,
    );
  }
  const audits = [source, target].map(
    ({ client }) =>
      () =>
        auditLedger(inSteps(client, pace), { programId }),
  );
  const [here, there] = await pace.all(audits);
  if (JSON.stringify(here) !== JSON.stringify(there)) {
    throw new ExplainedError(
      `The audit finds something else in the copy than in the program: ${brokenIn(here)}; in the copy: ${brokenIn(there)}. Nothing was changed: abandon the move.`,
    );
  }
}
