import { join, resolve } from "node:path";
import { root } from "../root.ts";

/** The files of a service that runs on one machine, by their paths in its data folder. */
export const databaseFile = "sqld/dbs/default/data";
export const objectsFolder = "worker/objects";

export interface DataFolder {
  readonly data: string;
  /** Holds the Worker's secrets. */
  readonly secretsFile: string;
}

/** The folder that `--data` names, or that of `npm start`. */
export function dataFolder(named?: string): DataFolder {
  if (named === undefined) return { data: join(root, ".data"), secretsFile: join(root, ".dev.vars") };
  const data = resolve(root, named);
  return { data, secretsFile: join(data, "dev.vars") };
}
