import { join } from "node:path";
import type { ShardAddress } from "#domain/shard-list.ts";
import { createWorld, type World } from "../harness/world.ts";
import { migrate } from "../scripts/database/migrate.ts";
import { addShard } from "../scripts/database/shards.ts";
import { type Database, startDatabase } from "./database.ts";
import { buildWorkers, startTarget } from "./service.ts";
import type { TempDir } from "./with-temp-dir.ts";

export interface Shards {
  readonly url: string;
  readonly databases: readonly Database[];
  /** Addresses for the service's configuration. */
  readonly shards: readonly ShardAddress[];
  readonly stop: () => Promise<void>;
}

export async function startShards(temp: TempDir, count: number): Promise<Shards> {
  const { ours } = await buildWorkers(join(temp.directory, `workers-${count}`));
  const databases: Database[] = [];
  for (let n = 0; n < count; n += 1) {
    const database = await temp.stopAtEnd(startDatabase(join(temp.directory, `${count}-${n}`)));
    await migrate({ url: database.url });
    databases.push(database);
  }
  const [home, ...others] = databases;
  if (home === undefined) throw new Error("a service has at least one shard");
  const shards: ShardAddress[] = [];
  for (const [i, database] of others.entries()) {
    const installation = await addShard(home, database, { shard: i + 1, location: null });
    shards.push({ shard: i + 1, databaseUrl: database.url, location: undefined, installation });
  }
  const service = await startTarget(ours, home.url, { shards });
  return { url: service.url, databases, shards, stop: () => service.stop() };
}

export const worldOn = ({ databases }: Shards, shard: number): Promise<World> =>
  createWorld(
    { shard, homeUrl: databases[0]?.url ?? "", url: databases[shard]?.url ?? "" },
    { partners: [{}, {}, {}] },
  );
