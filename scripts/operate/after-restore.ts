import type { ExitCode } from "../../sdk/cli/exit.ts";
import { parseFlags } from "../../sdk/cli/flags.ts";
import { reportAudit } from "../audit/report.ts";
import { operatorCommand } from "../command.ts";
import { lostPayouts, prepareAllRestored } from "../database/prepare-restored.ts";
import { allDatabases } from "../database/service-database.ts";
import { applyErasures, describeApplied } from "../erasures/apply-erasures.ts";
import { namedErasures } from "../erasures/named-erasures.ts";

export const help = `${operatorCommand} after-restore [--data <folder>] [--erasures <file> [--secrets-file <file>]]

Run it once the database is restored from a backup, before anything else; with further shards, once all are restored to the same
instant. It applies the migrations that the backup lacks, makes the Ledger forget the database before, and audits the books.
The service's page /docs/guides/durability/ describes it.

  --erasures <file>      first repeats the erasures that the backup lacks, by a file of \`erasures\`
  --secrets-file <file>  where HASH_SECRET and CLICK_KEYS are, unless they are in the environment; default: the data folder's own
                         file`;

export async function run(args: string[]): Promise<ExitCode> {
  const { values } = parseFlags(
    args,
    { data: { type: "string" }, erasures: { type: "string" }, "secrets-file": { type: "string" } },
    0,
  );
  const { erasures: named, "secrets-file": secretsFile, data } = values;
  const databases = await allDatabases(data);
  const erasures = named === undefined ? undefined : await namedErasures(named, secretsFile, data);
  const { applied, programs } = await prepareAllRestored(databases);
  for (const name of applied) console.log(`applied ${name}`);
  if (erasures !== undefined) {
    for (const line of describeApplied(await applyErasures(databases, erasures.file, erasures.keys))) console.log(line);
  }
  for (const line of lostPayouts(programs)) console.log(line);
  console.log("The Ledger starts afresh with its next request to the database. Now its books are checked.");
  return reportAudit(databases);
}
