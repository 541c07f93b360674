import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type DatabaseProxy, startDatabaseProxy } from "../harness/database-proxy.ts";
import { type Sqld, startSqld } from "../harness/sqld.ts";
import { createWorld, type World } from "../harness/world.ts";
import { migrate } from "../scripts/database/migrate.ts";
import type { Workload } from "./calls.ts";
import { load, type Stock, stockOf } from "./load.ts";
import type { TempDir } from "./with-temp-dir.ts";

/** Durable at each commit. */
export const startDatabase = (directory: string): Promise<Sqld> => startSqld({ directory });

/** Counts requests to the database, and can delay them. */
export async function startProxy(temp: TempDir, { url }: Sqld): Promise<DatabaseProxy> {
  const proxy = await startDatabaseProxy(url);
  await temp.stopAtEnd(Promise.resolve({ stop: () => proxy.close() }));
  return proxy;
}

const tenPartners = 10;

export async function prepare<T>(directory: string, fill: (database: Sqld) => Promise<T>): Promise<T> {
  const sqld = await startDatabase(directory);
  try {
    await migrate({ url: sqld.url });
    return await fill(sqld);
  } finally {
    await sqld.stop();
  }
}

export const openWorldOf = ({ url }: Sqld, partners: number): Promise<World> =>
  createWorld(url, { partners: Array.from({ length: partners }, () => ({})) });

export async function openWorld(database: Sqld, ...stocks: readonly Stock[]): Promise<World> {
  const world = await openWorldOf(database, tenPartners);
  for (const stock of stocks) await load(world, stock);
  return world;
}

/** Readiness counts the events of a day, so it is asked of a program whose day is the same in every run. */
export async function createWorkload(database: Sqld, sales: number, refunds: number): Promise<Workload> {
  const stock = { clicks: 0, customers: sales + refunds, sales: refunds, days: 30, base: 10 ** 9 };
  const day = { ...stockOf(10_000, 2 * 10 ** 9), days: 1 };
  return { world: await openWorld(database, stock), stock, asked: await openWorld(database, day) };
}

export async function startCopy(of: string, directory: string): Promise<Sqld> {
  await mkdir(directory, { recursive: true });
  await cp(join(of, "sqld"), join(directory, "sqld"), { recursive: true });
  return startDatabase(directory);
}
