import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { parseFlags } from "../../sdk/cli/flags.ts";
import { ExplainedError, operatorCommand } from "../command.ts";
import { migrateAll, upToDate } from "../database/migrate-all.ts";
import { allDatabases } from "../database/service-database.ts";

export const help = `${operatorCommand} migrate [--data <folder>]

Applies the pending migrations to the database of DATABASE_URL, or of the service that runs on a folder, each as a whole or
not at all. Further shards (SHARDS) come first. A deployment does so too; a service on a machine does it when it starts, after a backup.`;

export async function run(args: string[]): Promise<ExitCode> {
  const { values } = parseFlags(args, { data: { type: "string" } }, 0);
  // The default folder isn't used, because a service with older code may be running on it.
  if (values.data === undefined && !process.env.DATABASE_URL)
    throw new ExplainedError("Set DATABASE_URL, or use --data.");
  const databases = await allDatabases(values.data);
  const applied = await migrateAll(databases);
  for (const line of applied) console.log(`applied ${line}`);
  if (applied.length === 0) console.log(upToDate(databases));
  return exit.good;
}
