import { createClient } from "@libsql/client/http";
import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import type { Database } from "../database/migrate.ts";
import { allRules, auditLedger, type Finding } from "./ledger.ts";

function described({ broken, rows, hasMore }: Finding): string {
  const cells = rows.map((row) => Object.entries(row).map(([name, value]) => `${name} ${value}`));
  const lines = cells.map((row) => `  ${row.join(", ")}`);
  return [`Wrong: ${broken}`, ...lines, ...(hasMore ? ["  … and more"] : [])].join("\n");
}

/** Prints the findings. */
export async function reportAudit({ url, authToken }: Database): Promise<ExitCode> {
  // As text: sums of money may exceed a safe integer.
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
    return findings.length === 0 ? exit.good : exit.refused;
  } catch (error) {
    console.error(`The books of ${url} could not be read: ${error instanceof Error ? error.message : error}`);
    return exit.unreachable;
  } finally {
    client.close();
  }
}
