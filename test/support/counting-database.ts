import type { Database } from "#store/database.ts";
import type { Row, Statement } from "#store/statement.ts";

export interface Counted {
  readonly mode: "read" | "write";
  readonly statements: number;
  readonly rows: number;
  readonly bytes: number;
  readonly ms: number;
}

export function countingDatabase(real: Database) {
  const counted: Counted[] = [];
  const count = (mode: Counted["mode"]) => async (statements: readonly Statement[]) => {
    const start = performance.now();
    const results = await real[mode](statements);
    const ms = performance.now() - start;
    counted.push({
      mode,
      statements: statements.length,
      rows: results.reduce((all, rows) => all + rows.length, 0),
      bytes: bytesOf(statements.map(({ args }) => args)) + bytesOf(results.map(valuesOf)),
      ms,
    });
    return results;
  };
  const database: Database = {
    read: count("read"),
    write: count("write"),
    get roundTrips() {
      return real.roundTrips;
    },
  };
  return { database, counted };
}

const valuesOf = (rows: readonly Row[]) => rows.map((row) => Array.from(row));
const bytesOf = (values: unknown): number => Buffer.byteLength(JSON.stringify(values));
