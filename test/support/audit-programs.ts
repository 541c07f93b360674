import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import { clientOfFile, openDatabaseClient } from "../../harness/database-client.ts";
import { SqlConnection } from "../../runtime/node/sql-connection.ts";
import { auditLedger, type Finding } from "../../scripts/audit/ledger.ts";

/** The connection for audits of the shared service's database file, kept for all test files of a process. */
const processWide = globalThis as { sharedAudits?: SqlConnection };

function openShared(url: string): SqlConnection {
  const connection = new SqlConnection(fileURLToPath(url));
  connection.run({ sql: "create temp table audited (id integer primary key)", args: [] });
  return connection;
}

/**
 * Audits programs. In the shared service's database file, the statements don't contain the programs' ids, so a process
 * compiles them once for all its test files. Compiling takes five times as long as running them.
 */
export async function auditPrograms(url: string, ids: readonly number[]): Promise<Finding[]> {
  const shared: { readonly databaseUrl: string } | undefined = inject("shared");
  if (!url.startsWith("file:") || url !== shared?.databaseUrl)
    return auditLedger(openDatabaseClient(url), { programId: ids });
  processWide.sharedAudits ??= openShared(url);
  const connection = processWide.sharedAudits;
  connection.run({ sql: "delete from audited", args: [] });
  connection.run({ sql: "insert into audited select value from json_each(?)", args: [JSON.stringify(ids)] });
  return auditLedger(clientOfFile(connection), {
    scope: (alias, column = "program_id") => `${alias}.${column} in (select id from audited)`,
  });
}
