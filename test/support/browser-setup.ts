import type { TestProject } from "vitest/node";
import { findChromium } from "../../harness/chromium.ts";

declare module "vitest" {
  interface ProvidedContext {
    chromium: string;
  }
}

export default async function setup(project: TestProject): Promise<void> {
  project.provide("chromium", await findChromium());
}
