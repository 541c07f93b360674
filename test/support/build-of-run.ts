import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { useDocumentsOf } from "../../harness/openapi.ts";
import { type Build, build } from "../../scripts/build/build.ts";
import type { Sdk } from "../../scripts/build/sdk.ts";
import { type ServedFiles, servedFilesIn } from "../../scripts/build/served-files.ts";
import { newRunFolder } from "./run-folder.ts";

declare module "vitest" {
  interface ProvidedContext {
    build: Build;
    built: ServedFiles;
    buildDirectory: string;
    sdk: Sdk;
  }
}

interface BuildOfRun {
  readonly built: Promise<Build>;
  readonly directory: string;
  /** The folder with the data of services and databases. */
  readonly data: string;
  users: number;
}

/** Stored globally, because each project loads its own copy of this module. */
const run = globalThis as { buildOfTests?: BuildOfRun };

/** Builds once for all projects of a run. The last project removes the build's folder. */
export async function buildOfRun(): Promise<BuildOfRun> {
  if (run.buildOfTests === undefined) {
    const directory = await mkdtemp(join(tmpdir(), "tributary-test-"));
    const data = await newRunFolder();
    useDocumentsOf(servedFilesIn(directory));
    run.buildOfTests = { built: build({ directory }), directory, data, users: 0 };
  }
  run.buildOfTests.users += 1;
  return run.buildOfTests;
}

export async function leaveBuild(left: BuildOfRun): Promise<void> {
  left.users -= 1;
  if (left.users > 0) return;
  for (const folder of [left.directory, left.data]) await rm(folder, { recursive: true, force: true });
}
