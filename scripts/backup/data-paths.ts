import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Shard } from "#domain/ids.ts";
import { home } from "#domain/shard.ts";
import { root } from "../root.ts";

export const databaseFile = "sqld/dbs/default/data";
/** The folder of the shard's database in the data folder. */
export const shardFolder = (shard: Shard): string => (shard === home ? "." : `shards/${shard}`);
export const databaseFileOf = (shard: Shard): string =>
  shard === home ? databaseFile : `${shardFolder(shard)}/${databaseFile}`;
export const objectsFolder = "worker/objects";
export const secretsFiles = ["secrets.env", "dev.vars"] as const;

/** The default data folder. Its secrets are in a file next to the data. */
const defaultData = join(root, ".data");

/** The folder given by `--data`. Without the flag, the folder given by TRIBUTARY_DATA, or the project's .data. */
export const dataFolder = (named?: string): string => resolve(named ?? (process.env.TRIBUTARY_DATA || defaultData));

/**
 * The secrets file of a data folder. If there is none yet, this is the file that `npm start` reads for .data, and
 * `serve` for another folder.
 */
export function secretsFileOf(data: string): string {
  const found = secretsFiles.find((name) => existsSync(join(data, name)));
  if (found === undefined && data === defaultData) return join(root, ".dev.vars");
  return join(data, found ?? "secrets.env");
}
