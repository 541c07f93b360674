import { type Database, DatabaseError } from "./database.ts";
import type { Row, Statement } from "./statement.ts";

const patienceMs = 4_000;

/**
 * Writes what is not the Ledger's, in one batch. The Ledger holds the lock for some milliseconds at a time, and a batch
 * that met it did nothing: it is sent again.
 */
export async function writeBeside(
  database: Database,
  statements: readonly Statement[],
): Promise<readonly (readonly Row[])[]> {
  const end = Date.now() + patienceMs;
  for (let pause = 20; ; pause = Math.min(pause * 2, 200)) {
    try {
      return await database.write(statements);
    } catch (error) {
      const isBusy = error instanceof DatabaseError && error.fault.kind === "busy";
      if (!isBusy || Date.now() + pause > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
    }
  }
}
