import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const everyMs = 1_000;
/** As SQLite's own default of 1,000 pages. */
const minLogBytes = 4_000_000;
/** Beside a busy writer, further pages are written during a pass. */
const maxPasses = 5;

/**
 * Empties the write-ahead log of sqld's database at `file` from time to time, without holding up whoever writes (decision 0028).
 * Returns what ends that.
 */
export function checkpointOften(file: string): () => void {
  const timer = setInterval(() => {
    try {
      if (statSync(`${file}-wal`).size >= minLogBytes) checkpoint(file);
    } catch {
      // The log stays until the next time. If its disk has failed, sqld says so.
    }
  }, everyMs).unref();
  return () => clearInterval(timer);
}

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
