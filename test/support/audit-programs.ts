import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import { clientOfFile, openDatabaseClient } from "../../harness/database-client.ts";
import { SqlConnection } from "../../runtime/node/sql-connection.ts";
import { auditLedger, type Finding } from "../../scripts/audit/ledger.ts";

interface Opened {
  readonly connection: SqlConnection;
  /** The file's inode. A test may replace its database file. */
  readonly inode: number;
}

/** The connections for audits of database files, by URL. */
const processWide = globalThis as { audits?: Map<string, Opened> };
processWide.audits ??= new Map();
const { audits } = processWide;

function connectionTo(url: string): SqlConnection {
  const path = fileURLToPath(url);
  const { ino: inode } = statSync(path);
  const known = audits.get(url);
  if (known?.inode === inode) return known.connection;
  known?.connection.close();
  const connection = new SqlConnection(path);
  connection.run({ sql: "create temp table audited (id integer primary key)", args: [] });
  audits.set(url, { connection, inode });
  return connection;
}

/** Closes all connections except the one to the shared service's database, which all test files of a process use. */
export function closeOwnAudits(): void {
  const shared: { readonly databaseUrl: string } | undefined = inject("shared");
  for (const [url, { connection }] of audits) {
    if (url === shared?.databaseUrl) continue;
    connection.close();
    audits.delete(url);
  }
}

/**
 * Audits programs. If the database is a file, the statements don't contain the programs' ids, so that they are compiled
 * only once: compiling them takes five times as long as running them.
 */
export async function auditPrograms(url: string, ids: readonly number[]): Promise<Finding[]> {
  if (!url.startsWith("file:")) return auditLedger(openDatabaseClient(url), { programId: ids });
  const connection = connectionTo(url);
  connection.run({ sql: "delete from audited", args: [] });
  connection.run({ sql: "insert into audited select distinct value from json_each(?)", args: [JSON.stringify(ids)] });
  return auditLedger(clientOfFile(connection), {
    scope: (alias, column = "program_id") => `${alias}.${column} in (select id from audited)`,
  });
}
