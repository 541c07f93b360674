import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Shard } from "#domain/ids.ts";
import { home } from "#domain/shard.ts";
import type { Databases } from "../database/databases.ts";
import { databaseFile, databaseFileOf } from "./data-paths.ts";
import { readShards } from "./snapshot.ts";

export interface DatabaseFile {
  readonly shard: Shard;
  /** The file's path within the folder. */
  readonly path: string;
}

/** The database files of the shards that the home database of a data folder lists, whether the files exist or not. */
export function databaseFilesIn(folder: string): Databases<DatabaseFile> {
  const file = join(folder, databaseFile);
  const others = existsSync(file) ? readShards(file) : [];
  return [{ shard: home, path: databaseFile }, ...others.map(({ shard }) => ({ shard, path: databaseFileOf(shard) }))];
}
