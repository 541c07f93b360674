import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";
import { SqlConnection, SqlError } from "./sql-connection.ts";
import type { ThreadAnswer, ThreadData, ThreadRequest } from "./thread-messages.ts";

// Main of a thread that has one connection to one database file. A request is answered before the next one begins.

const { file, cacheKibibytes } = workerData as ThreadData;
const connection = new SqlConnection(file, { cacheKibibytes });

function resultOf(request: ThreadRequest): unknown {
  switch (request.kind) {
    case "batch":
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
 * Maximum number of discarded statements, each of about 100 kB, since this thread's heap is too small to trigger a
 * collection.
 */
const maxDiscarded = 500;

parentPort?.on("message", (request: ThreadRequest) => {
  parentPort?.postMessage(answerTo(request));
  if (connection.prepared.discarded < maxDiscarded) return;
  connection.prepared.discarded = 0;
  collectGarbage();
});
parentPort?.postMessage({ id: 0, result: undefined } satisfies ThreadAnswer);
