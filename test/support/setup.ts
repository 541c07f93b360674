import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { build } from "../../scripts/build.ts";
import type { Sdk } from "../../scripts/sdk.ts";
import type { Tracker } from "../../scripts/tracker.ts";
import type { WorkerdOptions } from "../../scripts/workerd.ts";
import { startDatabase } from "./database.ts";
import { startService } from "./service.ts";
import { type BuiltWorker, readBuiltWorker } from "./worker-options.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The Worker as this run built it, with the bindings of wrangler.toml. */
    worker: BuiltWorker;
    /** The same, for plain workerd. */
    built: WorkerdOptions["build"];
    /** The browser script, and where it is served. */
    tracker: Tracker;
    /** The package for integrators, and where it is served. */
    sdk: Sdk;
    /** A service that all tests of the run share, and its database. */
    shared: { readonly url: string; readonly databaseUrl: string };
  }
}

/** Builds once for the run, into a folder of the run's own, and starts the shared service. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), "tributary-test-"));
  const undo: (() => Promise<void>)[] = [() => rm(directory, { recursive: true, force: true })];
  const teardown = async () => {
    for (const step of undo.reverse()) await step();
  };
  try {
    const built = await build({ directory });
    const worker = readBuiltWorker(built);
    project.provide("worker", worker);
    const { workerDirectory, serverFile, publicDirectory } = built;
    project.provide("built", { workerDirectory, serverFile, publicDirectory });
    project.provide("tracker", built.tracker);
    project.provide("sdk", built.sdk);
    if (project.name !== "faults") {
      const database = await startDatabase();
      undo.push(database.dispose);
      const service = await startService({ worker, databaseUrl: database.url });
      undo.push(service.stop);
      project.provide("shared", { url: service.url, databaseUrl: database.url });
    }
    return teardown;
  } catch (error) {
    await teardown();
    throw error;
  }
}
