import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { serviceDatabase } from "../database/service-database.ts";
import { setOpen } from "../database/shards.ts";
import { readShard } from "./arguments.ts";

export async function run(args: string[]): Promise<ExitCode> {
  const { shard, folder } = readShard(args, 0);
  await setOpen(await serviceDatabase(folder), shard, false);
  console.log(`Shard ${shard} is closed: it keeps its programs, and gets no new ones.`);
  return exit.good;
}
