import { parentPort } from "node:worker_threads";
import { SqlConnection } from "../../runtime/node/sql-connection.ts";

/** The maximum number of passes. While a writer is busy, it writes new pages during each pass. */
const maxPasses = 5;

/**
 * Connections of the same libSQL library as all others in this process, because a second SQLite library would release
 * the first one's locks on a file.
 */
const connections = new Map<string, SqlConnection>();

function connectionTo(file: string): SqlConnection {
  const known = connections.get(file);
  if (known !== undefined) return known;
  const connection = new SqlConnection(file);
  connection.run({ sql: "pragma busy_timeout = 0", args: [] });
  connections.set(file, connection);
  return connection;
}

function checkpoint(file: string): void {
  const connection = connectionTo(file);
  const pass = (mode: "passive" | "truncate") =>
    connection.run({ sql: `pragma wal_checkpoint(${mode})`, args: [] })[0]?.[0];
  pass("passive");
  for (let passes = 1; passes < maxPasses; passes += 1) {
    if (pass("truncate") === 0) return;
  }
}

parentPort?.on("message", (file: string) => {
  try {
    checkpoint(file);
  } catch {
    // After a failure, the log stays until the next checkpoint. If the disk has failed, the service reports it.
  } finally {
    parentPort?.postMessage(file);
  }
});
