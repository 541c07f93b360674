import { fileURLToPath } from "node:url";
import { SqlConnection } from "../../runtime/node/sql-connection.ts";
import type { Batches } from "#store/database.ts";

const opened = new Map<string, SqlConnection>();

/** The database of a `file:` address, which a service may have open. Undefined for another address. */
export function fileDatabase(url: string): Batches | undefined {
  if (!url.startsWith("file:")) return undefined;
  const connection = opened.get(url) ?? new SqlConnection(fileURLToPath(url));
  opened.set(url, connection);
  return { batch: async (statements, mode) => connection.batch(statements, mode) };
}
