import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "./build.ts";
import { explain } from "./service-error.ts";

// Builds into the folder that is named, for a service that is served from it.

const directory = process.argv[2] ?? "dist";

try {
  // Those of builds that were interrupted: the service has its folder to itself.
  for (const name of await readdir(directory).catch(() => [])) {
    if (name.startsWith("next-")) await rm(join(directory, name), { recursive: true, force: true });
  }
  await build({ directory, keepsParts: true });
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
