import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { startService } from "../../harness/service.ts";
import type { ServedFiles } from "../../scripts/build/served-files.ts";

// The main file of the process that strace traces. It starts a service in one process, and checkpoints the database
// much more often than necessary. Its arguments are the build as JSON and the database's URL. It prints the service's
// URL.

const checkpointEveryMs = 150;

const [, , build = "", databaseUrl = ""] = process.argv;
const service = await startService({
  runtime: "node",
  build: JSON.parse(build) as ServedFiles,
  databaseUrl,
  vars: { RATE_LIMITS: "off" },
});
process.stdout.write(`${service.url}\n`);

const checkpoints = new Worker(new URL("../../scripts/database/checkpoint.thread.ts", import.meta.url));
for (;;) {
  checkpoints.postMessage(fileURLToPath(databaseUrl));
  await delay(checkpointEveryMs);
}
