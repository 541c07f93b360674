import type { ExitCode } from "../../sdk/cli/exit.ts";
import { parseFlags } from "../../sdk/cli/flags.ts";
import { reportAudit } from "../audit/report.ts";
import { serviceDatabase } from "../database/service-database.ts";

export const help = `npm run tributary -- audit [--data <folder>]

Checks the books and prints what is wrong, with ids: those of each shard, then what lies across the shards. Only reads.
Exit code 1 if they are wrong.`;

export async function run(args: string[]): Promise<ExitCode> {
  const { values } = parseFlags(args, { data: { type: "string" } }, 0);
  const { databases } = await serviceDatabase(values.data);
  return reportAudit(databases);
}
