import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { migrate } from "../scripts/migrate.ts";
import { type Sqld, startSqld } from "../scripts/sqld.ts";
import { createWorld, type World } from "../test/support/world.ts";
import { load, type Stock } from "./load.ts";

/** Megabytes. At 200, the default, sqld stops writing and compacts its log every few seconds under load. */
const logMegabytes = "40000";

/** As `npm start` sets it, durable at each commit, and with a log that is not compacted while we measure. */
export const startDatabase = (directory: string): Promise<Sqld> =>
  startSqld({ directory, runBy: ["env", `SQLD_MAX_LOG_SIZE=${logMegabytes}`] });

const partners = 10;

/** A directory with all migrations, a program, and that stock of events; to be copied. */
export async function prepare(directory: string, stock: Stock): Promise<World> {
  const sqld = await startDatabase(directory);
  try {
    await migrate({ url: sqld.url });
    const world = await createWorld(sqld.url, { partners: Array.from({ length: partners }, () => ({})) });
    await load(world, stock);
    return world;
  } finally {
    await sqld.stop();
  }
}

export async function startCopy(of: string, directory: string): Promise<Sqld> {
  await mkdir(directory, { recursive: true });
  await cp(join(of, "sqld"), join(directory, "sqld"), { recursive: true });
  return startDatabase(directory);
}
