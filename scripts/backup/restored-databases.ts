import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { ExplainedError } from "../command.ts";
import type { Databases, ShardDatabase } from "../database/databases.ts";
import { type Sqld, startSqld } from "../database/sqld.ts";
import { shardFolder } from "./data-paths.ts";
import { type DatabaseFile, databaseFilesIn } from "./database-files.ts";

/** Starts the databases of a data folder that no service uses, for as long as `use` takes. */
export async function withDatabases<T>(folder: string, use: (databases: Databases) => Promise<T>): Promise<T> {
  const started: Sqld[] = [];
  const start = async ({ shard }: DatabaseFile): Promise<ShardDatabase> => {
    const sqld = await startRestored(join(folder, shardFolder(shard)));
    started.push(sqld);
    return { shard, url: sqld.url, authToken: sqld.authToken };
  };
  try {
    const [first, ...others] = databaseFilesIn(folder);
    return await use([await start(first), ...(await Promise.all(others.map(start)))]);
  } finally {
    await Promise.all(started.map((sqld) => sqld.stop()));
    for (const { logFile } of started) await rm(logFile, { force: true });
  }
}

async function startRestored(directory: string): Promise<Sqld> {
  const logFile = join(directory, "restore.log");
  return startSqld({ directory, logFile, requiresToken: true }).catch(async () => {
    const log = await readFile(logFile, "utf8").catch(() => "");
    throw new ExplainedError(`The database server doesn't start on the backup: ${log.trim().split("\n").at(-1)}`);
  });
}
