import { fileURLToPath } from "node:url";
import type { Batches } from "#store/database.ts";
import { SqlConnection } from "../../runtime/node/sql-connection.ts";

const opened = new Map<string, SqlConnection>();

/** Opens the database of a `file:` URL, which a service may have open. Undefined for another URL. */
export function fileConnection(url: string): SqlConnection | undefined {
  if (!url.startsWith("file:")) return undefined;
  const connection = opened.get(url) ?? new SqlConnection(fileURLToPath(url));
  opened.set(url, connection);
  return connection;
}

/** Closes a file at once. The library itself would close it later. */
export function closeFile(url: string): void {
  opened.get(url)?.close();
  opened.delete(url);
}

export function fileDatabase(url: string): Batches | undefined {
  const connection = fileConnection(url);
  return connection && { batch: async (statements, mode) => connection.batch(statements, mode) };
}
