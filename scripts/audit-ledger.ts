import { createClient } from "@libsql/client/http";
import { allRules, auditLedger, type Finding } from "./audit/ledger.ts";
import type { Database } from "./migrate.ts";
import { ServiceDatabaseError, serviceDatabase } from "./service-database.ts";

// npm run audit:ledger: checks the books of DATABASE_URL, or of what `npm start` runs; exit code 1 where they are wrong.

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
    const checked = allRules.length;
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

try {
  const database = await serviceDatabase();
  process.exitCode = await run(database).catch((error: unknown) => {
    console.error(`The books of ${database.url} could not be read: ${error instanceof Error ? error.message : error}`);
    return 2;
  });
} catch (error) {
  console.error(error instanceof ServiceDatabaseError ? error.message : error);
  process.exitCode = 2;
}
