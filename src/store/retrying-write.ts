import { type Database, DatabaseError } from "./database.ts";
import type { Row, Statement } from "./statement.ts";

/** As long as the Ledger tries. */
const patienceMs = 2_000;

/**
 * Writes what is not the Ledger's, in one batch that may be carried out twice: it is sent again where the lock was held,
 * by the Ledger for some milliseconds at a time, and where its outcome was lost on the way.
 */
export async function writeWithRetry(
  database: Database,
  statements: readonly Statement[],
): Promise<readonly (readonly Row[])[]> {
  const end = Date.now() + patienceMs;
  for (let pause = 20; ; pause = Math.min(pause * 2, 200)) {
    try {
      return await database.write(statements);
    } catch (error) {
      const isPassing = error instanceof DatabaseError && ["busy", "unknown"].includes(error.fault.kind);
      if (!isPassing || Date.now() + pause > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
    }
  }
}
