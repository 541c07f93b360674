import { cp } from "node:fs/promises";
import { type ServedFiles, servedFilesIn } from "../../scripts/build/served-files.ts";

// In place of scripts/build/build.ts where deploy-preload.ts says so: copies the build in TEST_BUILD.

export async function build({ directory }: { readonly directory: string }): Promise<ServedFiles> {
  await cp(process.env.TEST_BUILD ?? "", directory, { recursive: true });
  return servedFilesIn(directory);
}

export const judgeSize = () => ({ text: "Built before", isTooBig: false });
