import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "../scripts/database/migrate.ts";
import { type Sqld, startSqld } from "../scripts/database/sqld.ts";

export interface TestDatabase extends Sqld {
  /** Returns the folder of a copy, from which another server can start too. */
  backup(): Promise<string>;
  restore(copy: string): Promise<void>;
  dispose(): Promise<void>;
}

/** In MB, more than a test or a measurement writes: sqld doesn't compact its log meanwhile. */
export const withoutCompaction = 40_000;

const data = (folder: string) => join(folder, "sqld");

/** A copy of a migrated database, which spares each further one its migrations. */
const { DATABASE_TEMPLATE: template } = process.env;

/** `within`: the folder that gets the data's own. */
export async function startDatabase(within = tmpdir()): Promise<TestDatabase> {
  const directory = await mkdtemp(join(within, "tributary-sqld-"));
  const remove = () => rm(directory, { recursive: true, force: true });
  if (template !== undefined) await cp(data(template), data(directory), { recursive: true });
  const sqld = await startSqld({ directory, maxLogMb: withoutCompaction }).catch(async (error) => {
    await remove();
    throw error;
  });
  const dispose = async () => {
    await sqld.kill();
    await remove();
  };
  const whileStopped = async (work: () => Promise<void>) => {
    await sqld.kill();
    await work();
    await sqld.start();
  };
  const backup = async () => {
    const copy = await mkdtemp(join(directory, "backup-"));
    await whileStopped(() => cp(data(directory), data(copy), { recursive: true }));
    return copy;
  };
  const restore = (copy: string) =>
    whileStopped(async () => {
      await rm(data(directory), { recursive: true });
      await cp(data(copy), data(directory), { recursive: true });
    });
  try {
    if (template === undefined) await migrate({ url: sqld.url });
  } catch (error) {
    await dispose();
    throw error;
  }
  return Object.assign(sqld, { backup, restore, dispose });
}
