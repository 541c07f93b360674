import type { TestProject } from "vitest/node";
import { buildOfRun, leaveBuild } from "./build-of-run.ts";

/** The setup of projects whose tests run commands that build. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const ofRun = await buildOfRun();
  project.provide("buildDirectory", ofRun.directory);
  const build = await ofRun.built;
  project.provide("build", build);
  project.provide("sdk", build.sdk);
  return () => leaveBuild(ofRun);
}
