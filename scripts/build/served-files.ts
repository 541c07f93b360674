import { join } from "node:path";
import { root } from "../root.ts";

export interface ServedFiles {
  /** The folder of `worker.js` and its chunks. */
  readonly workerDirectory: string;
  readonly serverFile: string;
  readonly publicDirectory: string;
}

export const servedFilesIn = (directory: string): ServedFiles => ({
  workerDirectory: join(directory, "worker"),
  serverFile: join(directory, "server/server.js"),
  publicDirectory: join(directory, "public"),
});

/** The SDK that the examples and the tests import. */
export const sdkDist = join(root, "sdk/dist");

/** The record of the last complete build. */
export interface Built {
  /** The digest of the sources from which the build was made. */
  readonly sources: string;
  /**
   * The digest of the build's files. It differs if another release has built into the same folder, or the disk has lost
   * files.
   */
  readonly files: string;
  /** The path of the installable SDK file, below the service's URL. */
  readonly newestSdk: string;
}

export const builtFile = (directory: string): string => join(directory, "built.json");
