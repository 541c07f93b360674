import { DatabaseSync } from "node:sqlite";
import { parentPort } from "node:worker_threads";

/** Beside a busy writer, further pages are written during a pass. */
const maxPasses = 5;

function checkpoint(file: string): void {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    const pass = (mode: "passive" | "truncate") => database.prepare(`pragma wal_checkpoint(${mode})`).get();
    pass("passive");
    for (let passes = 1; passes < maxPasses; passes += 1) {
      if (pass("truncate")?.busy === 0) return;
    }
  } finally {
    database.close();
  }
}

parentPort?.on("message", (file: string) => {
  try {
    checkpoint(file);
  } catch {
    // The log stays until the next time. If its disk has failed, the service says so.
  } finally {
    parentPort?.postMessage(file);
  }
});
