import { afterAll, beforeAll, inject } from "vitest";
import type { ShardAddress } from "#domain/shard-list.ts";
import { type Api, createApi } from "../../harness/client.ts";
import { engineOf, startDatabase, type TestDatabase } from "../../harness/database.ts";
import { openDatabaseClient, type Row } from "../../harness/database-client.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../harness/database-proxy.ts";
import { chosenRuntime, type Runtime } from "../../harness/runtimes.ts";
import { type PlainService, startService, testSecrets } from "../../harness/service.ts";
import type { User } from "../../harness/session.ts";
import { addUser } from "../../harness/users.ts";
import { addShard, setOpen } from "../../scripts/database/shards.ts";
import { senderTo } from "../../scripts/service/operator-api.ts";
import type { MovePlaces } from "../../scripts/shards/mover.ts";
import { placesOf } from "../../scripts/shards/operator.ts";
import { ofShard } from "./linked-ledgers.ts";

export interface ShardedService {
  /** The databases by shard number. The first one is the home database. */
  readonly databases: readonly TestDatabase[];
  /** The proxies through which the service reaches the databases. */
  readonly proxies: readonly DatabaseProxy[];
  readonly shards: readonly ShardAddress[];
  readonly service: PlainService;
  /** The databases and calls that a shard migration needs. */
  readonly places: MovePlaces;
  api(): Api;
  user(name?: string): Promise<User>;
  rows(shard: number, sql: string, ...args: (string | number)[]): Promise<Row[]>;
}

/**
 * Starts a service with one more shard in each of these locations. New programs are created on these shards. Call it at
 * the top of the file.
 */
export const shardedService = (...locations: readonly string[]): ShardedService => shardedServiceWith({}, ...locations);

interface ShardedServiceOptions {
  /** The default is the value of TEST_RUNTIME. */
  readonly runtime?: Runtime;
  readonly vars?: Readonly<Record<string, string>>;
}

export function shardedServiceWith(
  { runtime = chosenRuntime(process.env), vars }: ShardedServiceOptions,
  ...locations: readonly string[]
): ShardedService {
  const databases: TestDatabase[] = [];
  const proxies: DatabaseProxy[] = [];
  const shards: ShardAddress[] = [];
  let service: PlainService | undefined;
  beforeAll(async () => {
    const engine = engineOf(runtime);
    databases.push(...(await Promise.all(["home", ...locations].map(() => startDatabase(undefined, engine)))));
    proxies.push(...(await Promise.all(databases.map(({ url }) => startDatabaseProxy(url)))));
    const [home, ...others] = databases;
    if (home === undefined) throw new Error("home has not been started");
    for (const [i, database] of others.entries()) {
      const [shard, location = ""] = [i + 1, locations[i]];
      const installation = await addShard(home, database, { shard, location });
      await setOpen(home, shard, true);
      shards.push({ shard, databaseUrl: database.url, location, installation });
    }
    service = await startService({
      build: inject("built"),
      databaseUrl: ofShard(proxies, 0).url,
      proxies,
      runtime,
      shards: shards.map((each) => ({ ...each, databaseUrl: ofShard(proxies, each.shard).url })),
      vars: { RATE_LIMITS: "off", ...vars },
    });
  });
  afterAll(async () => {
    await service?.stop();
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await Promise.all(databases.map((database) => database.dispose()));
  });
  const started = (): PlainService => {
    if (service === undefined) throw new Error("the service starts with the first test");
    return service;
  };
  const databaseOf = (shard: number) => ofShard(databases, shard);
  return {
    databases,
    proxies,
    shards,
    get service() {
      return started();
    },
    get places() {
      const { url } = started();
      return placesOf(senderTo(url, testSecrets.DATABASE_AUTH_TOKEN), databaseOf);
    },
    api: () => createApi(started().url),
    user: (name) => addUser({ url: started().url, databaseUrl: databaseOf(0).url }, name),
    rows: async (shard, sql, ...args) => {
      const { url } = databaseOf(shard);
      return (await openDatabaseClient(url).execute({ sql, args })).rows;
    },
  };
}
