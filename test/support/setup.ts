import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startDatabase } from "../../harness/database.ts";
import { startService } from "../../harness/service.ts";
import { type Build, build } from "../../scripts/build/build.ts";
import type { Sdk } from "../../scripts/build/sdk.ts";
import type { ServedFiles } from "../../scripts/build/served-files.ts";
import type { Tracker } from "../../scripts/build/tracker.ts";

declare module "vitest" {
  interface ProvidedContext {
    built: ServedFiles;
    tracker: Tracker;
    sdk: Sdk;
    shared: { readonly url: string; readonly databaseUrl: string };
  }
}

interface BuildOfRun {
  readonly built: Promise<Build>;
  readonly directory: string;
  users: number;
}

/** Each project loads a copy of this module. */
const run = globalThis as { buildOfTests?: BuildOfRun };

/** Builds once for all projects of a run, into a folder that goes with the last of them. */
async function buildOfRun(): Promise<BuildOfRun> {
  if (run.buildOfTests === undefined) {
    const directory = await mkdtemp(join(tmpdir(), "tributary-test-"));
    run.buildOfTests = { built: build({ directory }), directory, users: 0 };
  }
  run.buildOfTests.users += 1;
  return run.buildOfTests;
}

async function leaveBuild(left: BuildOfRun): Promise<void> {
  left.users -= 1;
  if (left.users === 0) await rm(left.directory, { recursive: true, force: true });
}

/** Starts the project's shared service. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const undo: (() => Promise<void>)[] = [];
  const teardown = async () => {
    for (const step of undo.reverse()) await step();
  };
  try {
    const ofRun = await buildOfRun();
    undo.push(() => leaveBuild(ofRun));
    const { workerDirectory, serverFile, publicDirectory, tracker, sdk } = await ofRun.built;
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
