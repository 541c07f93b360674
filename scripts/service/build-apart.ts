import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Built, builtFile, type ServedFiles, servedFilesIn } from "../build/served-files.ts";
import { ExplainedError } from "../command.ts";
import { root } from "../root.ts";
import { runApart } from "./child.ts";

export interface BuildApart {
  readonly directory: string;
  /** The folder for the SDK's files. By default, the SDK isn't written. */
  readonly sdk?: string;
  readonly log: (line: string) => void;
}

/**
 * Builds in a separate process, because a build takes 300 MB, which would otherwise stay allocated in the service's
 * process.
 */
export async function buildApart({ directory, sdk, log }: BuildApart): Promise<ServedFiles & Built> {
  // An archive or an image contains a build, and lacks the packages for building.
  const packaged = join(root, "dist");
  if (existsSync(builtFile(packaged))) return builtIn(packaged);
  const places = [directory, ...(sdk === undefined ? [] : [sdk])];
  if (!(await runApart("scripts/build/build-served.ts", places, process.env, log))) {
    throw new ExplainedError("The build failed. The lines above say why.");
  }
  return builtIn(directory);
}

async function builtIn(directory: string): Promise<ServedFiles & Built> {
  const built = JSON.parse(await readFile(builtFile(directory), "utf8")) as Built;
  return { ...servedFilesIn(directory), ...built };
}
