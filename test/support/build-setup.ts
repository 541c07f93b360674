import type { TestProject } from "vitest/node";
import { buildOfRun, leaveBuild } from "./build-of-run.ts";

/** For tests that run commands which build. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const ofRun = await buildOfRun();
  project.provide("buildDirectory", ofRun.directory);
  project.provide("sdk", (await ofRun.built).sdk);
  return () => leaveBuild(ofRun);
}
