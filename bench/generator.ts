import autocannon from "autocannon";
import type { Calls } from "./calls.ts";

/** Durations in milliseconds. */
export interface Driven {
  readonly calls: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/**
 * Sends so many calls, each as soon as its connection has the answer to the one before. Throws where any is not
 * answered 200, or not with what it asked for. Times are as measured: while an answer is late, its connection sends
 * nothing, so that the calls which would have waited too are not there to be counted.
 */
export async function drive(url: string, calls: Calls, connections: number, amount: number): Promise<Driven> {
  const times: number[] = [];
  const faults: string[] = [];
  const { method, path, headers } = calls;
  const total = Math.max(amount, connections);
  // Made beforehand: to sign a click takes time that is no part of the call.
  const bodies = Array.from({ length: total }, () => calls.body());
  const startedAt = performance.now();
  let endedAt = startedAt;
  await new Promise<void>((resolve, reject) => {
    const run = autocannon(
      {
        url,
        connections,
        amount: total,
        timeout: 30,
        // Milliseconds between its checks for the end.
        sampleInt: 20,
        // Requests of each client's own: shared ones would be sent before the next client's replaces them.
        setupClient: (client) => {
          const request: autocannon.Request = {
            method,
            path,
            headers: { ...headers },
            setupRequest: (given) => ({ ...given, body: bodies.pop() ?? "" }),
            onResponse: (status, answer) => {
              if (status !== 200 || !calls.isDone(answer)) faults.push(`${status} ${answer}`);
            },
          };
          client.setRequests([request]);
        },
      },
      (error) => (error ? reject(error) : resolve()),
    );
    run.on("response", (_client, _status, _bytes, took) => {
      times.push(took);
      endedAt = performance.now();
    });
    run.on("reqError", (error) => faults.push(String(error)));
  });
  if (faults.length > 0) {
    throw new Error(`${path}: ${faults.length} of ${total} calls failed, the first with ${faults[0]}`);
  }
  if (times.length !== total) throw new Error(`${path}: ${times.length} answers to ${total} calls`);
  const sorted = Float64Array.from(times).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { calls: total, perSecond: (total * 1_000) / (endedAt - startedAt), p50: at(0.5), p99: at(0.99) };
}
