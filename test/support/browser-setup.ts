import { existsSync } from "node:fs";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    chromium: string;
  }
}

const installed = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Nothing is ever downloaded: the fallback comes from npm. */
async function executable(): Promise<string> {
  const found = process.env.CHROMIUM_PATH || installed.find((path) => existsSync(path));
  if (found) return found;
  const { default: packed } = await import("@sparticuz/chromium");
  return packed.executablePath();
}

export default async function setup(project: TestProject): Promise<void> {
  project.provide("chromium", await executable());
}
