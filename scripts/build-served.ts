import { build } from "./build.ts";
import { explain } from "./service-error.ts";

// Builds into the folder that is named, for a service that is served from it.

try {
  await build({ directory: process.argv[2] ?? "dist", keepsParts: true });
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
