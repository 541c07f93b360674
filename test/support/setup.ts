import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startDatabase } from "../../harness/database.ts";
import { startService } from "../../harness/service.ts";
import { build } from "../../scripts/build.ts";
import type { Sdk } from "../../scripts/sdk.ts";
import type { ServedFiles } from "../../scripts/served-files.ts";
import type { Tracker } from "../../scripts/tracker.ts";

declare module "vitest" {
  interface ProvidedContext {
    built: ServedFiles;
    tracker: Tracker;
    sdk: Sdk;
    shared: { readonly url: string; readonly databaseUrl: string };
  }
}

/** Builds once per run, into a folder of its own, and starts the shared service. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), "tributary-test-"));
  const undo: (() => Promise<void>)[] = [() => rm(directory, { recursive: true, force: true })];
  const teardown = async () => {
    for (const step of undo.reverse()) await step();
  };
  try {
    const { workerDirectory, serverFile, publicDirectory, tracker, sdk } = await build({ directory });
    const built = { workerDirectory, serverFile, publicDirectory };
    project.provide("built", built);
    project.provide("tracker", tracker);
    project.provide("sdk", sdk);
    if (project.name !== "faults") {
      const database = await startDatabase();
      undo.push(database.dispose);
      const service = await startService({ build: built, databaseUrl: database.url });
      undo.push(service.stop);
      project.provide("shared", { url: service.url, databaseUrl: database.url });
    }
    return teardown;
  } catch (error) {
    await teardown();
    throw error;
  }
}
