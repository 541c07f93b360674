import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { root } from "../root.ts";

/** By their paths in the data folder of a service that runs on one machine. */
export const databaseFile = "sqld/dbs/default/data";
export const objectsFolder = "worker/objects";
/** Those that hold the Worker's secrets: of `npm run serve`, and of `npm start`. */
export const secretsFiles = ["secrets.env", "dev.vars"] as const;

/** That of `npm start` without `--data`, whose secrets are beside it. */
const defaultData = join(root, ".data");

export const dataFolder = (named?: string): string => (named === undefined ? defaultData : resolve(root, named));

/** Where a service finds its secrets, unless it is told of another file. */
export function secretsFileOf(data: string): string {
  const found = secretsFiles.find((name) => existsSync(join(data, name)));
  if (found === undefined && data === defaultData) return join(root, ".dev.vars");
  return join(data, found ?? "dev.vars");
}
