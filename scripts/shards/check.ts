import type { ExitCode } from "../../sdk/cli/exit.ts";
import { parseFlags } from "../../sdk/cli/flags.ts";
import { reportAcross } from "../audit/report.ts";
import { serviceDatabase } from "../database/service-database.ts";
import { repairDirectory } from "./repair.ts";

export async function run(args: string[]): Promise<ExitCode> {
  const { values } = parseFlags(args, { data: { type: "string" }, repair: { type: "boolean", default: false } }, 0);
  const { databases } = await serviceDatabase(values.data);
  if (values.repair) for (const line of await repairDirectory(databases)) console.log(line);
  return reportAcross(databases);
}
