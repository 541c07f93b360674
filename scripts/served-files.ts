import { join } from "node:path";

/** The files of a build that a service needs. */
export interface ServedFiles {
  /** Holds `worker.js` and the parts that it imports. */
  readonly workerDirectory: string;
  /** The Worker's surroundings on plain workerd; it imports `worker.js`. */
  readonly serverFile: string;
  /** The static assets. */
  readonly publicDirectory: string;
}

/** The files of the build in this folder. */
export const servedFilesIn = (directory: string): ServedFiles => ({
  workerDirectory: join(directory, "worker"),
  serverFile: join(directory, "server/server.js"),
  publicDirectory: join(directory, "public"),
});
