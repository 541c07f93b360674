import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { parseFlags } from "../../sdk/cli/flags.ts";
import { migrate } from "../database/migrate.ts";
import { serviceDatabase } from "../database/service-database.ts";

export const help = `npm run tributary -- migrate [--data <folder>]

Applies the pending migrations, each as a whole or not at all. npm start, npm run serve and npm run deploy do so too.`;

export async function run(args: string[]): Promise<ExitCode> {
  const { values } = parseFlags(args, { data: { type: "string" } }, 0);
  const applied = await migrate(await serviceDatabase(values.data));
  for (const name of applied) console.log(`applied ${name}`);
  if (applied.length === 0) console.log("The database is up to date.");
  return exit.good;
}
