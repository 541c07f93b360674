import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";

const everyMs = 1_000;
/** Smaller logs aren't emptied, as with SQLite's own default of 1,000 pages. */
const minLogBytes = 4_000_000;

/**
 * Regularly empties the write-ahead log of the database at `file` without delaying writers (decision 0028). Returns a
 * function that stops this, and waits for a running checkpoint, which has the file open.
 */
export function checkpointOften(file: string): () => Promise<void> {
  const timer = setInterval(() => {
    try {
      if (statSync(`${file}-wal`).size >= minLogBytes) checkpoint(file);
    } catch {
      // There is no log yet.
    }
  }, everyMs).unref();
  return async () => {
    clearInterval(timer);
    await underWay.get(file)?.promise;
  };
}

let thread: Worker | undefined;
const underWay = new Map<string, PromiseWithResolvers<void>>();

/**
 * Starts a checkpoint in a separate thread, because a slow disk would delay everything else in this process. The thread
 * starts when the log is first large enough.
 */
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
