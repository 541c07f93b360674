import { cp } from "node:fs/promises";
import type * as real from "../../scripts/build/build.ts";
import { type ServedFiles, servedFilesIn } from "../../scripts/build/served-files.ts";

// `build-preload.ts` replaces scripts/build/build.ts with this file.

const { TEST_BUILD: built = "", TEST_SDK: sdk = "{}" } = process.env;

export async function build({ directory }: { readonly directory: string }): Promise<ServedFiles & { sdk: unknown }> {
  await cp(built, directory, { recursive: true });
  return { ...servedFilesIn(directory), sdk: JSON.parse(sdk) };
}

/** Builds another Worker than the one of the test run. Only a benchmark does this. */
export async function buildWorker(...args: Parameters<typeof real.buildWorker>): Promise<unknown> {
  const { buildWorker: run } = await import("../../scripts/build/build.ts");
  return run(...args);
}

export const judgeSize = () => ({ text: "Built before", isTooBig: false });
