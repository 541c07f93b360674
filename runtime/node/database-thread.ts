import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";
import { SqlConnection, SqlError } from "./sql-connection.ts";
import { type ThreadAnswer, type ThreadData, type ThreadRequest, threadClock } from "./thread-messages.ts";

// The main file of a thread with one connection to one database file. It answers a request before it begins the next
// one.

const { file, ...options } = workerData as ThreadData;
const connection = new SqlConnection(file, options);

function resultOf(request: ThreadRequest): unknown {
  switch (request.kind) {
    case "batch":
      if (request.mode === "read" && threadClock() > request.until) throw new Error("the caller no longer waits");
      return connection.batch(request.statements, request.mode);
    case "close":
      connection.close();
      return undefined;
  }
}

function answerTo(request: ThreadRequest): ThreadAnswer {
  const { id } = request;
  try {
    return { id, result: resultOf(request) };
  } catch (error) {
    const { message } = error instanceof Error ? error : { message: String(error) };
    const { code, statementIndex } = error instanceof SqlError ? error : {};
    return { id, fault: { message, code, statementIndex } };
  }
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
/**
 * The maximum number of discarded statements before a garbage collection. Each takes about 100 kB, and this thread's
 * heap is too small to trigger a collection by itself.
 */
const maxDiscarded = 500;

parentPort?.on("message", (request: ThreadRequest) => {
  parentPort?.postMessage(answerTo(request));
  // Without this port, nothing keeps the thread running.
  if (request.kind === "close") parentPort?.close();
  if (connection.prepared.discarded < maxDiscarded) return;
  connection.prepared.discarded = 0;
  collectGarbage();
});
parentPort?.postMessage({ id: 0, result: undefined } satisfies ThreadAnswer);
