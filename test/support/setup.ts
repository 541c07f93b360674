import { join } from "node:path";
import type { TestProject } from "vitest/node";
import type { ShardAddress } from "#domain/shard-list.ts";
import { engineOf, startDatabase, type TestDatabase } from "../../harness/database.ts";
import { chosenRuntime } from "../../harness/runtimes.ts";
import { type PlainService, startService } from "../../harness/service.ts";
import type { Tracker } from "../../scripts/build/tracker.ts";
import { addShard, setOpen } from "../../scripts/database/shards.ts";
import { buildOfRun, leaveBuild } from "./build-of-run.ts";

declare module "vitest" {
  interface ProvidedContext {
    tracker: Tracker;
    shared: { readonly url: string; readonly databaseUrl: string };
  }
}

/** If TEST_SHARD is set, places all programs of the tests on a separate shard, including programs created by a call. */
async function startShard(home: TestDatabase, undo: (() => Promise<void>)[]): Promise<ShardAddress> {
  const database = await startDatabase();
  undo.push(database.dispose);
  const installation = await addShard(home, database, { shard: 1, location: null });
  await setOpen(home, 1, true);
  await setOpen(home, 0, false);
  process.env.TEST_SHARD = `${home.url} ${database.url}`;
  return { shard: 1, databaseUrl: database.url, location: undefined, installation };
}

const writesCompiled = new URL("../../harness/compile-cache-preload.ts", import.meta.url).href;

/**
 * Has the service write its compile cache now, so that services started later reuse it. Killed services write no cache.
 */
function writeCompiled({ pid, desk }: PlainService): void {
  for (const each of [pid, desk?.pid]) if (each !== undefined) process.kill(each, "SIGUSR2");
}

/** Starts the project's shared service. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const undo: (() => Promise<void>)[] = [];
  const teardown = async () => {
    for (const step of undo.reverse()) await step();
  };
  try {
    const ofRun = await buildOfRun();
    process.env.DATA_FOLDER = ofRun.data;
    process.env.TEST_STARTED_AT ??= String(Date.now());
    process.env.COMPILE_CACHE = join(ofRun.directory, "compiled");
    undo.push(() => leaveBuild(ofRun));
    const { workerDirectory, serverFile, publicDirectory, tracker, sdk } = await ofRun.built;
    const built = { workerDirectory, serverFile, publicDirectory };
    project.provide("buildDirectory", ofRun.directory);
    project.provide("built", built);
    project.provide("tracker", tracker);
    project.provide("sdk", sdk);
    if (project.name !== "faults") {
      const runtime = chosenRuntime({ ...process.env, ...project.config.env });
      const database = await startDatabase(undefined, engineOf(runtime));
      undo.push(database.dispose);
      process.env.DATABASE_TEMPLATE ??= await database.backup();
      const shards = process.env.TEST_SHARD === undefined ? [] : [await startShard(database, undo)];
      const service = await startService({
        ...{ runtime, build: built, databaseUrl: database.url, shards },
        environment: { NODE_OPTIONS: `--import ${writesCompiled}` },
      });
      undo.push(service.stop);
      if (runtime === "node") writeCompiled(service);
      project.provide("shared", { url: service.url, databaseUrl: database.url });
    }
    return teardown;
  } catch (error) {
    await teardown();
    throw error;
  }
}
