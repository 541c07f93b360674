import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Shard } from "#domain/ids.ts";
import { home, maxShard } from "#domain/shard.ts";
import type { ShardAddress } from "#domain/shard-list.ts";
import { SqlConnection } from "../../runtime/node/sql-connection.ts";
import { backUpBeforeMigrations } from "../backup/before-migrations.ts";
import { databaseFile, databaseFileOf } from "../backup/data-paths.ts";
import { removeServerLog } from "../backup/server-log.ts";
import { type KnownShard, readShards } from "../backup/snapshot.ts";
import { ExplainedError, operatorCommand } from "../command.ts";
import { checkpointOften } from "../database/checkpoints.ts";
import type { Databases, ShardDatabase } from "../database/databases.ts";
import { migrateAll } from "../database/migrate-all.ts";
import { addShard, setOpen } from "../database/shards.ts";
import type { DataFolder } from "./data-folder.ts";
import { markRelease } from "./data-release.ts";

export interface LocalDatabases {
  readonly databases: Databases;
  /** The URLs of the other shards, for the Worker. */
  readonly addresses: readonly ShardAddress[];
}

export interface ShardOptions {
  /** The number of shards, including the home shard. Shards that already exist in the data are always opened. */
  readonly count: number;
  /** Called for each database whose log is emptied regularly, with a function that stops this. */
  readonly onOpened: (close: () => Promise<void>) => void;
}

/** Opens and migrates the databases of a data folder, and adds databases if there are too few. */
export async function openLocalDatabases(folder: DataFolder, options: ShardOptions): Promise<LocalDatabases> {
  // With this token, commands of this machine's operator authenticate to the service.
  const first = { ...(await openShard(folder, home)), authToken: randomBytes(32).toString("base64url") };
  await folder.tellRunning([first]);
  const known = readShards(join(folder.path, databaseFile));
  refuseMissing(folder, known);
  const added = newShards(known, options.count);
  const numbers = [...known.map(({ shard }) => shard), ...added].toSorted((a, b) => a - b);
  const others = await Promise.all(numbers.map((shard) => openShard(folder, shard)));
  const databases = [first, ...others] as const;
  await folder.tellRunning(databases);
  await backUpBeforeMigrations(folder.path);
  await migrateAll(databases);
  for (const each of others.filter(({ shard }) => added.includes(shard))) {
    await addShard(first, each, { shard: each.shard, location: null });
    await setOpen(first, each.shard, true);
  }
  await markRelease(folder.path);
  for (const { url } of databases) options.onOpened(checkpointOften(fileURLToPath(url)));
  return { databases, addresses: addressesOf(others, readShards(join(folder.path, databaseFile))) };
}

async function openShard({ path }: DataFolder, shard: Shard): Promise<ShardDatabase> {
  const file = join(path, databaseFileOf(shard));
  await mkdir(dirname(file), { recursive: true });
  new SqlConnection(file).close();
  await removeServerLog(file);
  return { shard, url: pathToFileURL(file).href };
}

/** Throws if a database is missing. An empty database in its place would assign ids again that are in use. */
function refuseMissing({ path }: DataFolder, known: readonly KnownShard[]): void {
  const missing = known.map(({ shard }) => databaseFileOf(shard)).find((file) => !existsSync(join(path, file)));
  if (missing === undefined) return;
  const advice = `Put it back, or restore a backup: ${operatorCommand} restore --help`;
  throw new ExplainedError(`${join(path, missing)} is missing. ${advice}`);
}

/** The lowest free numbers for new shards. */
function newShards(known: readonly KnownShard[], count: number): readonly Shard[] {
  const free = Array.from({ length: maxShard }, (_, i) => i + 1).filter((n) => !known.some(({ shard }) => shard === n));
  return free.slice(0, Math.max(0, count - 1 - known.length));
}

const addressesOf = (others: readonly ShardDatabase[], known: readonly KnownShard[]): readonly ShardAddress[] =>
  known.flatMap(({ shard, location, installation }) =>
    others
      .filter((each) => each.shard === shard)
      .map(({ url }) => ({ shard, databaseUrl: url, location, installation })),
  );

/** Parses a number of shards. Undefined if the text isn't one. */
export function shardCount(text: string): number | undefined {
  const count = Number(text);
  return /^\d+$/.test(text) && count >= 1 && count <= maxShard + 1 ? count : undefined;
}

/** Describes the shards of a service with several shards. `count` is the requested number. */
export function describeShards({ databases }: LocalDatabases, count: number): string {
  const numbers = databases.map(({ shard }) => shard).join(", ");
  return `${databases.length} shards: ${numbers}${databases.length > count ? ", all that the data has" : ""}`;
}
