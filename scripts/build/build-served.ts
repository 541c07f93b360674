import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { explain } from "../command.ts";
import { build } from "./build.ts";

const directory = process.argv[2] ?? "dist";

try {
  // Left by interrupted builds. No other build uses this folder.
  for (const name of await readdir(directory).catch(() => [])) {
    if (name.startsWith("next-")) await rm(join(directory, name), { recursive: true, force: true });
  }
  await build({ directory, keepsParts: true });
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
