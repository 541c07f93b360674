import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Databases, ShardDatabase } from "../database/databases.ts";
import { closeFile } from "../database/file-database.ts";
import { type DatabaseFile, databaseFilesIn } from "./database-files.ts";

/** Calls `use` with the databases of a data folder that no service uses. Closes them afterwards. */
export async function withDatabases<T>(folder: string, use: (databases: Databases) => Promise<T>): Promise<T> {
  const opened = ({ shard, path }: DatabaseFile): ShardDatabase => ({
    shard,
    url: pathToFileURL(join(folder, path)).href,
  });
  const [first, ...others] = databaseFilesIn(folder);
  const databases: Databases = [opened(first), ...others.map(opened)];
  try {
    return await use(databases);
  } finally {
    for (const { url } of databases) closeFile(url);
  }
}
