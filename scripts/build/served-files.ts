import { join } from "node:path";
import { root } from "../root.ts";

export interface ServedFiles {
  /** Folder of `worker.js` and its parts. */
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

/** What is recorded about the last complete build. */
export interface Built {
  /** Digest of the sources that it was built from. */
  readonly sources: string;
  /** Digest of its files, since another release may build into the same folder, and a disk may lose some. */
  readonly files: string;
  /** The file of the SDK to install, below the service's address. */
  readonly newestSdk: string;
}

export const builtFile = (directory: string): string => join(directory, "built.json");
