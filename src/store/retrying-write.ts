import { type Database, DatabaseError } from "./database.ts";
import type { Row, Statement } from "./statement.ts";

/** The time for which a write is retried. The Ledger retries for the same time. */
const patienceMs = 2_000;

/**
 * Retries a write outside the Ledger while the database is locked or the outcome is unknown. The batch must be
 * idempotent.
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
