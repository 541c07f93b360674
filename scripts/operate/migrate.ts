import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { parseFlags } from "../../sdk/cli/flags.ts";
import { ExplainedError } from "../command.ts";
import { migrate } from "../database/migrate.ts";
import { serviceDatabase } from "../database/service-database.ts";

export const help = `npm run tributary -- migrate [--data <folder>]

Applies the pending migrations to the database of DATABASE_URL, or of the service that runs on a folder, each as a whole or
not at all. npm run deploy does so too; npm start and npm run serve do it when they start, after a backup.`;

export async function run(args: string[]): Promise<ExitCode> {
  const { values } = parseFlags(args, { data: { type: "string" } }, 0);
  // The code that runs here on the usual folder may be older.
  if (values.data === undefined && !process.env.DATABASE_URL)
    throw new ExplainedError("Set DATABASE_URL, or use --data.");
  const applied = await migrate(await serviceDatabase(values.data));
  for (const name of applied) console.log(`applied ${name}`);
  if (applied.length === 0) console.log("The database is up to date.");
  return exit.good;
}
