import type { ProgramId, Shard } from "#domain/ids.ts";
import { requestLogOf } from "#env.ts";
import type { CallBatch, NotedCall } from "#requests/rpc.ts";
import type { Ctx } from "./context.ts";
import { inTime } from "./in-time.ts";
import { logError } from "./log.ts";
import { perEnv } from "./per-env.ts";

/**
 * Calls are stored in large batches, because on a self-hosted server each batch delays all calls by one commit. A
 * program's batch is sent a second after its first call, or earlier once it is full.
 */
const batchSize = 1_000;
const pauseMs = 1_000;
/** Maximum number of calls that wait for one program's request log, if the log is slow. */
const mostWaiting = 2_000;
const mostWaitingInAll = 5_000;
const mostBatchesAtOnce = 2;
/**
 * Timeout for sending a batch. It is shorter than the time for which the runtime lets a call run after its response.
 */
const timeoutMs = 10_000;

interface Waiting extends Pick<CallBatch, "programId"> {
  shard: Shard;
  calls: string[];
  dropped: number;
  hasErased: boolean;
  /**
   * When a call began a pause after which it sends the batch (ms). The runtime may have ended that call during the
   * pause.
   */
  promisedAt: number | undefined;
  batchesAtOnce: number;
  /** True if the last batch failed. Only the first failure in a row is logged. */
  hasFailed: boolean;
}

interface Buffers {
  readonly byProgram: Map<ProgramId, Waiting>;
  calls: number;
}

const buffers = perEnv((): Buffers => ({ byProgram: new Map(), calls: 0 }));

type Noted = Pick<CallBatch, "programId" | "shard" | "hasErased">;

/**
 * Sends the call to its program's request log, in a batch with others of the same second. The response doesn't wait for
 * it.
 */
export function bufferCall(c: Ctx, { programId, shard, hasErased }: Noted, call: NotedCall): void {
  const all = buffers(c);
  const waiting = all.byProgram.get(programId) ?? noneOf(programId, shard);
  all.byProgram.set(programId, waiting);
  waiting.shard = shard;
  waiting.hasErased ||= hasErased;
  if (waiting.calls.length >= mostWaiting || all.calls >= mostWaitingInAll) waiting.dropped += 1;
  else {
    waiting.calls.push(JSON.stringify(call));
    all.calls += 1;
  }
  const now = Date.now();
  if (waiting.calls.length >= batchSize && waiting.batchesAtOnce < mostBatchesAtOnce) {
    c.executionCtx.waitUntil(send(c, waiting));
  } else if (waiting.promisedAt === undefined || Math.abs(now - waiting.promisedAt) > timeoutMs) {
    waiting.promisedAt = now;
    c.executionCtx.waitUntil(sendLater(c, waiting));
  }
}

const noneOf = (programId: ProgramId, shard: Shard): Waiting => ({
  programId,
  shard,
  calls: [],
  dropped: 0,
  hasErased: false,
  promisedAt: undefined,
  batchesAtOnce: 0,
  hasFailed: false,
});

async function sendLater(c: Ctx, waiting: Waiting): Promise<void> {
  await pause(pauseMs);
  waiting.promisedAt = undefined;
  await send(c, waiting);
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Sends the batch. If that fails, its calls count as dropped, and the next batch reports their number. */
async function send(c: Ctx, waiting: Waiting): Promise<void> {
  const { programId, shard, calls, dropped, hasErased } = waiting;
  if (calls.length === 0 && dropped === 0) return;
  const all = buffers(c);
  all.calls -= calls.length;
  Object.assign(waiting, { calls: [], dropped: 0 });
  waiting.batchesAtOnce += 1;
  try {
    const added = requestLogOf(c.env, programId).add({ programId, shard, calls, dropped, hasErased });
    await inTime(added, timeoutMs, "the request log");
    waiting.hasFailed = false;
  } catch (error) {
    waiting.dropped += calls.length + dropped;
    if (!waiting.hasFailed) logError(c, error);
    waiting.hasFailed = true;
  } finally {
    waiting.batchesAtOnce -= 1;
    const isIdle = waiting.batchesAtOnce === 0 && waiting.calls.length === 0 && waiting.dropped === 0;
    if (isIdle && waiting.promisedAt === undefined) all.byProgram.delete(programId);
  }
}
