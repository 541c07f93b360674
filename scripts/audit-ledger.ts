import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@libsql/client/http";
import { auditLedger, type Finding, invariants } from "./audit/ledger.ts";
import type { Database } from "./migrate.ts";
import { root } from "./root.ts";

// npm run audit:ledger: checks the books of DATABASE_URL, or of what `npm start` runs; exit code 1 where they are wrong.

/** The database that is named, or that of the service that `npm start` has running here. */
async function databaseToAudit(): Promise<Database | undefined> {
  const { DATABASE_URL: url, DATABASE_AUTH_TOKEN: authToken } = process.env;
  if (url) return { url, authToken };
  const text = await readFile(join(root, ".data/running.json"), "utf8").catch(() => "{}");
  const { databaseUrl } = JSON.parse(text) as { databaseUrl?: string };
  return databaseUrl === undefined ? undefined : { url: databaseUrl };
}

function described({ broken, rows, hasMore }: Finding): string {
  const cells = rows.map((row) => Object.entries(row).map(([name, value]) => `${name} ${value}`));
  const lines = cells.map((row) => `  ${row.join(", ")}`);
  return [`Wrong: ${broken}`, ...lines, ...(hasMore ? ["  … and more"] : [])].join("\n");
}

async function run({ url, authToken }: Database): Promise<number> {
  // As text: sums of money may pass what a number holds.
  const client = createClient({ url, ...(authToken ? { authToken } : {}), intMode: "string" });
  try {
    const findings = await auditLedger(client);
    for (const finding of findings) console.log(`${described(finding)}\n`);
    const checked = Object.keys(invariants).length;
    console.log(
      findings.length === 0
        ? `The books are right: ${checked} checks.`
        : `${findings.length} of ${checked} checks fail.`,
    );
    return findings.length === 0 ? 0 : 1;
  } finally {
    client.close();
  }
}

const database = await databaseToAudit();
if (database === undefined) {
  console.error("DATABASE_URL is not set, and no service that npm start has started is running here.");
  process.exitCode = 2;
} else {
  process.exitCode = await run(database).catch((error: unknown) => {
    console.error(`The books of ${database.url} could not be read: ${error instanceof Error ? error.message : error}`);
    return 2;
  });
}
