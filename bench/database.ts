import { cp, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { chosenRuntime } from "../harness/runtimes.ts";
import { startSqld } from "../harness/sqld.ts";
import { createWorld, type World } from "../harness/world.ts";
import { databaseFile } from "../scripts/backup/data-paths.ts";
import { checkpointOften } from "../scripts/database/checkpoints.ts";
import { closeFile } from "../scripts/database/file-database.ts";
import { migrate } from "../scripts/database/migrate.ts";
import type { Workload } from "./calls.ts";
import { load, type Stock, stockOf } from "./load.ts";

export interface Database {
  readonly url: string;
  readonly directory: string;
  /** Undefined for a database file, which the service's own process opens. */
  readonly pid: number | undefined;
  readonly adminUrl: string | undefined;
  readonly adminAuthorization: string | undefined;
  stop(): Promise<void>;
}

/** Starts the database of the chosen runtime. Each commit is durable. */
export const startDatabase = (directory: string): Promise<Database> =>
  chosenRuntime(process.env) === "node" ? openFile(directory) : startServer(directory);

/** Starts sqld, whatever the chosen runtime is. */
export const startServer = async (directory: string): Promise<Database> =>
  Object.assign(await startSqld({ directory }), { directory });

/**
 * Creates a database file. As with `npm start`, the service opens it, and the supervising process empties its
 * write-ahead log.
 */
async function openFile(directory: string): Promise<Database> {
  const file = join(directory, databaseFile);
  await mkdir(dirname(file), { recursive: true });
  const url = pathToFileURL(file).href;
  const endCheckpoints = checkpointOften(file);
  const stop = async () => {
    await endCheckpoints();
    closeFile(url);
  };
  return { url, directory, pid: undefined, adminUrl: undefined, adminAuthorization: undefined, stop };
}

const tenPartners = 10;

export async function prepare<T>(directory: string, fill: (database: Database) => Promise<T>): Promise<T> {
  const database = await startDatabase(directory);
  try {
    await migrate({ url: database.url });
    return await fill(database);
  } finally {
    await database.stop();
  }
}

export const openWorldOf = ({ url }: Database, partners: number): Promise<World> =>
  createWorld(url, { partners: Array.from({ length: partners }, () => ({})) });

export async function openWorld(database: Database, ...stocks: readonly Stock[]): Promise<World> {
  const world = await openWorldOf(database, tenPartners);
  for (const stock of stocks) await load(world, stock);
  return world;
}

/**
 * A readiness call counts a program's events of a day, so it is sent to a second program, which has the same events of
 * the day in every run.
 */
export async function createWorkload(database: Database, sales: number, refunds: number): Promise<Workload> {
  const stock = { clicks: 0, customers: sales + refunds, sales: refunds, days: 30, base: 10 ** 9 };
  const day = { ...stockOf(10_000, 2 * 10 ** 9), days: 1 };
  return { world: await openWorld(database, stock), stock, asked: await openWorld(database, day) };
}

export async function startCopy(of: string, directory: string, start = startDatabase): Promise<Database> {
  await mkdir(directory, { recursive: true });
  await cp(join(of, "sqld"), join(directory, "sqld"), { recursive: true });
  return start(directory);
}
