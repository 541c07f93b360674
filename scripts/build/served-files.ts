import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../root.ts";

export interface ServedFiles {
  /** Contains `worker.js` and its parts. */
  readonly workerDirectory: string;
  readonly serverFile: string;
  readonly publicDirectory: string;
}

export const servedFilesIn = (directory: string): ServedFiles => ({
  workerDirectory: join(directory, "worker"),
  serverFile: join(directory, "server/server.js"),
  publicDirectory: join(directory, "public"),
});

/** What the examples and the tests import. */
export const sdkDist = join(root, "sdk/dist");

/** Of the last complete build. */
export interface Built {
  /** Of its sources. */
  readonly digest: string;
  /** The file of the SDK to install, below the service's address. */
  readonly newestSdk: string;
}

export const builtFile = (directory: string): string => join(directory, "built.json");

/** Whether the folders of a complete build are still there. */
export function areServed(directory: string, sdk: string | undefined): boolean {
  const { workerDirectory, serverFile, publicDirectory } = servedFilesIn(directory);
  const places = [join(workerDirectory, "worker.js"), serverFile, join(publicDirectory, "app/index.html")];
  return [...places, ...(sdk === undefined ? [] : [sdk])].every((place) => existsSync(place));
}
