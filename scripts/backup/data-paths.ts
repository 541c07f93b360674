import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { root } from "../root.ts";

export const databaseFile = "sqld/dbs/default/data";
export const objectsFolder = "worker/objects";
export const secretsFiles = ["secrets.env", "dev.vars"] as const;

/** Its secrets are next to it. */
const defaultData = join(root, ".data");

/** The folder of `--data`; without one, the folder TRIBUTARY_DATA, or .data. */
export const dataFolder = (named?: string): string =>
  resolve(root, named ?? (process.env.TRIBUTARY_DATA || defaultData));

export function secretsFileOf(data: string): string {
  const found = secretsFiles.find((name) => existsSync(join(data, name)));
  if (found === undefined && data === defaultData) return join(root, ".dev.vars");
  return join(data, found ?? "dev.vars");
}
