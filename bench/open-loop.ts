import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Calls } from "./calls.ts";
import type { Driven } from "./generator.ts";

export interface Arrivals extends Pick<Calls, "method" | "path" | "headers"> {
  readonly url: string;
  readonly bodies: readonly string[];
  readonly perSecond: number;
}

export interface Arrival {
  /** 0 if there was no reply. */
  readonly status: number;
  readonly answer: string;
  /** From the instant at which the call was due to its whole reply. */
  readonly ms: number;
}

export interface OpenLoop extends Driven {
  readonly slowest: number;
  readonly refused: number;
}

/**
 * Sends calls at a rate, whether earlier ones have their replies or not, so that a pause delays every call that arrives
 * in it. Counts the calls whose reply isn't the expected one as refused.
 */
export async function arrive(url: string, calls: Calls, perSecond: number, seconds: number): Promise<OpenLoop> {
  const { method, path, headers } = calls;
  const bodies = Array.from({ length: Math.ceil(perSecond * seconds) }, () => calls.body());
  const workerData: Arrivals = { url, method, path, headers, bodies, perSecond };
  const thread = new Worker(new URL("./arrivals.thread.ts", import.meta.url), { workerData });
  const [arrivals] = (await once(thread, "message")) as [readonly Arrival[]];
  const sorted = Float64Array.from(arrivals, ({ ms }) => ms).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    calls: bodies.length,
    perSecond,
    p50: at(0.5),
    p99: at(0.99),
    slowest: at(1),
    refused: arrivals.filter(({ status, answer }) => status !== 200 || !calls.isDone(answer)).length,
  };
}
