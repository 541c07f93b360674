import { join } from "node:path";
import type { ShardAddress } from "#domain/shard-list.ts";
import { createWorld, type World } from "../harness/world.ts";
import { migrate } from "../scripts/database/migrate.ts";
import { addShard } from "../scripts/database/shards.ts";
import { type Database, startDatabase, startProxy, startServer } from "./database.ts";
import { buildWorkers, startTarget } from "./service.ts";
import type { TempDir } from "./with-temp-dir.ts";

export interface Shards {
  readonly url: string;
  readonly databases: readonly Database[];
  /** As the service knows them. */
  readonly shards: readonly ShardAddress[];
  readonly delayDatabases: (ms: number) => void;
  readonly stop: () => Promise<void>;
}

/** `far`: on workerd and sqld, whose databases can be delayed. That costs this process time for all that is sent to them. */
export async function startShards(temp: TempDir, count: number, { far }: { readonly far: boolean }): Promise<Shards> {
  const { ours } = await buildWorkers(join(temp.directory, `workers-${count}`));
  const databases: Database[] = [];
  const start = far ? startServer : startDatabase;
  for (let n = 0; n < count; n += 1) {
    const database = await temp.stopAtEnd(start(join(temp.directory, `${count}-${n}`)));
    await migrate({ url: database.url });
    databases.push(database);
  }
  const proxies = far ? await Promise.all(databases.map((database) => startProxy(temp, database))) : [];
  const addresses = databases.map(({ url }, shard) => proxies[shard]?.url ?? url);
  const [home, ...others] = databases;
  const [first, ...further] = addresses;
  if (home === undefined || first === undefined) throw new Error("a service has at least one shard");
  const shards: ShardAddress[] = [];
  for (const [i, database] of others.entries()) {
    const installation = await addShard(home, database, { shard: i + 1, location: null });
    shards.push({ shard: i + 1, databaseUrl: further[i] ?? "", location: undefined, installation });
  }
  const service = await startTarget(ours, first, { shards });
  const delayDatabases = (ms: number) => {
    for (const proxy of proxies) proxy.inject({ kind: "delay", ms });
  };
  return { url: service.url, databases, shards, delayDatabases, stop: () => service.stop() };
}

export const worldOn = ({ databases }: Shards, shard: number): Promise<World> =>
  createWorld(
    { shard, homeUrl: databases[0]?.url ?? "", url: databases[shard]?.url ?? "" },
    { partners: [{}, {}, {}] },
  );
