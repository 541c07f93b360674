import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "../../scripts/migrate.ts";
import { type Sqld, type SqldOptions, startSqld } from "../../scripts/sqld.ts";

export interface TestDatabase extends Sqld {
  /** Ends it and removes its data. */
  dispose(): Promise<void>;
}

/** A libSQL server of the caller's own, with all migrations. */
export async function startDatabase(runBy?: SqldOptions["runBy"]): Promise<TestDatabase> {
  const directory = await mkdtemp(join(tmpdir(), "tributary-sqld-"));
  const remove = () => rm(directory, { recursive: true, force: true });
  const sqld = await startSqld({ directory, runBy }).catch(async (error) => {
    await remove();
    throw error;
  });
  const dispose = async () => {
    await sqld.kill();
    await remove();
  };
  try {
    await migrate({ url: sqld.url });
  } catch (error) {
    await dispose();
    throw error;
  }
  return Object.assign(sqld, { dispose });
}
