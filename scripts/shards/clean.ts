import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { ExplainedError } from "../command.ts";
import { serviceDatabase } from "../database/service-database.ts";
import { readProgram } from "./program.ts";
import { removeLeft } from "./remove-left.ts";

export async function run(args: string[]): Promise<ExitCode> {
  const { programId, folder } = readProgram(args, 0);
  const { databases } = await serviceDatabase(folder);
  const cleaned: number[] = [];
  for (const database of databases) {
    if (await removeLeft(databases, database, programId)) cleaned.push(database.shard);
  }
  if (cleaned.length === 0) throw new ExplainedError(`Program ${programId} has left no shard.`);
  console.log(`Removed what program ${programId} left on shard ${cleaned.join(", ")}.`);
  return exit.good;
}
