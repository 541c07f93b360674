import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";

const everyMs = 1_000;
/** As SQLite's own default of 1,000 pages. */
const minLogBytes = 4_000_000;

/**
 * Empties the write-ahead log of the database at `file` from time to time, without delaying writers (decision 0028).
 * Returns what ends that, and waits for a checkpoint under way: it opens the file.
 */
export function checkpointOften(file: string): () => Promise<void> {
  const timer = setInterval(() => {
    try {
      if (statSync(`${file}-wal`).size >= minLogBytes) checkpoint(file);
    } catch {
      // There is none yet.
    }
  }, everyMs).unref();
  return async () => {
    clearInterval(timer);
    await underWay.get(file)?.promise;
  };
}

let thread: Worker | undefined;
const underWay = new Map<string, PromiseWithResolvers<void>>();

/** In a thread of its own: a slow disk would hold up all else that this process does. It isn't there before the first log is large. */
function checkpoint(file: string): void {
  if (underWay.has(file)) return;
  thread ??= startThread();
  thread.ref();
  underWay.set(file, Promise.withResolvers());
  thread.postMessage(file);
}

function startThread(): Worker {
  const started = new Worker(new URL("./checkpoint.thread.ts", import.meta.url));
  const end = (file: string) => {
    underWay.get(file)?.resolve();
    underWay.delete(file);
    if (underWay.size === 0) started.unref();
  };
  started.on("message", end);
  started.on("error", () => {
    thread = undefined;
    for (const file of [...underWay.keys()]) end(file);
  });
  return started;
}
