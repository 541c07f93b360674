import { join } from "node:path";

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
