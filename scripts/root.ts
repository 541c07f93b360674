import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const pinned = join(root, "node_modules/.bin/node");

/** The Node that the project pins; it runs TypeScript as it stands, which the one on the machine may not. */
export const node = existsSync(pinned) ? pinned : process.execPath;
