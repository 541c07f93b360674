import type { ExitCode } from "../../sdk/cli/exit.ts";
import { parseFlags } from "../../sdk/cli/flags.ts";
import { reportAudit } from "../audit/report.ts";
import { lostPayouts, prepareAllRestored } from "../database/prepare-restored.ts";
import { allDatabases } from "../database/service-database.ts";

export const help = `npm run tributary -- after-restore [--data <folder>]

Run it once the database is restored from a backup, before anything else; with further shards, once all are restored to the same
instant. It applies the migrations that the backup lacks, makes the Ledger forget the database before, and audits the books.
docs/durability.md describes it.`;

export async function run(args: string[]): Promise<ExitCode> {
  const { values } = parseFlags(args, { data: { type: "string" } }, 0);
  const databases = await allDatabases(values.data);
  const { applied, programs } = await prepareAllRestored(databases);
  for (const name of applied) console.log(`applied ${name}`);
  for (const line of lostPayouts(programs)) console.log(line);
  console.log("The Ledger starts afresh with its next request to the database. Now its books are checked.");
  return reportAudit(databases);
}
