import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { serviceDatabase } from "../database/service-database.ts";
import { removeShard } from "../database/shards.ts";
import { readShard, requireConfigured } from "./arguments.ts";

export async function run(args: string[]): Promise<ExitCode> {
  const { shard, folder } = readShard(args, 1);
  const { databases } = await serviceDatabase(folder);
  await removeShard(databases[0], requireConfigured(databases, shard), shard);
  console.log(
    `Shard ${shard} is removed. Take its line out of SHARDS and deploy, or, on this machine, start the service again with fewer shards. Then delete its database.`,
  );
  return exit.good;
}
