import { join } from "node:path";

/** Where a build has what is served. */
export interface ServedFiles {
  /** Holds `worker.js` and the parts that it imports. */
  readonly workerDirectory: string;
  /** The Worker's surroundings on plain workerd; it imports `worker.js`. */
  readonly serverFile: string;
  /** The static assets. */
  readonly publicDirectory: string;
}

/** Of a build in this folder. */
export const servedFilesIn = (directory: string): ServedFiles => ({
  workerDirectory: join(directory, "worker"),
  serverFile: join(directory, "server/server.js"),
  publicDirectory: join(directory, "public"),
});
