import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";

const everyMs = 1_000;
/** As SQLite's own default of 1,000 pages. */
const minLogBytes = 4_000_000;

/**
 * Empties the write-ahead log of sqld's database at `file` from time to time, without holding up whoever writes (decision 0028).
 * Returns what ends that.
 */
export function checkpointOften(file: string): () => void {
  const timer = setInterval(() => {
    try {
      if (statSync(`${file}-wal`).size >= minLogBytes) checkpoint(file);
    } catch {
      // There is none yet.
    }
  }, everyMs).unref();
  return () => clearInterval(timer);
}

let thread: Worker | undefined;
const underWay = new Set<string>();

/** In a thread of its own: a slow disk would hold up all else that this process does. It isn't there before the first log is large. */
function checkpoint(file: string): void {
  if (underWay.has(file)) return;
  thread ??= startThread();
  underWay.add(file);
  thread.postMessage(file);
}

function startThread(): Worker {
  const started = new Worker(new URL("./checkpoint.thread.ts", import.meta.url));
  started.on("message", (file: string) => underWay.delete(file));
  started.on("error", () => {
    thread = undefined;
    underWay.clear();
  });
  started.unref();
  return started;
}
