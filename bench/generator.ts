import autocannon from "autocannon";
import type { Calls } from "./calls.ts";

export interface Driven {
  readonly calls: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/**
 * Sends each call as soon as its connection has the previous reply. Throws if a reply isn't 200 or isn't the expected
 * one. Latencies aren't corrected for coordinated omission: while a reply is late, its connection sends nothing.
 */
export async function drive(url: string, calls: Calls, connections: number, amount: number): Promise<Driven> {
  const times: number[] = [];
  const faults: string[] = [];
  const total = Math.max(amount, connections);
  // Built beforehand, because signing a click takes time that isn't part of the call.
  const bodies = Array.from({ length: total }, () => calls.body()).reverse();
  const startedAt = performance.now();
  let endedAt = startedAt;
  await new Promise<void>((resolve, reject) => {
    const run = autocannon(
      {
        url,
        connections,
        amount: total,
        timeout: 30,
        // Milliseconds between checks for the end of the run.
        sampleInt: 20,
        ...sending(calls, () => bodies.pop() ?? "", faults),
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
    throw new Error(`${calls.path}: ${faults.length} of ${total} calls failed, the first with ${faults[0]}`);
  }
  if (times.length !== total) throw new Error(`${calls.path}: ${times.length} answers to ${total} calls`);
  const at = quantilesOf(times);
  return { calls: total, perSecond: (total * 1_000) / (endedAt - startedAt), p50: at(0.5), p99: at(0.99) };
}

/** Sends calls at a rate that may be above what the service can answer. Returns the number of answered calls. */
export async function flood(
  url: string,
  calls: Calls,
  { connections, perSecond, seconds }: { connections: number; perSecond: number; seconds: number },
): Promise<number> {
  const bodies = Array.from({ length: Math.ceil(perSecond * seconds) }, () => calls.body());
  const faults: string[] = [];
  const { requests } = await autocannon({
    url,
    connections,
    overallRate: Math.round(perSecond),
    duration: seconds,
    timeout: 30,
    ...sending(calls, () => bodies.pop() ?? calls.body(), faults),
  });
  if (faults.length > 0) throw new Error(`${faults.length} calls of a flood failed, the first with ${faults[0]}`);
  return requests.total;
}

/** Each client needs its own request: if clients shared one, a client could send it before replacing another's body. */
const sending = ({ method, path, headers, isDone }: Calls, nextBody: () => string, faults: string[]) => ({
  setupClient: (client: autocannon.Client) => {
    const request: autocannon.Request = {
      method,
      path,
      headers: { ...headers },
      setupRequest: (given) => ({ ...given, body: nextBody() }),
      onResponse: (status, answer) => {
        if (status !== 200 || !isDone(answer)) faults.push(`${status} ${answer}`);
      },
    };
    client.setRequests([request]);
  },
});

export function quantilesOf(times: readonly number[]): (share: number) => number {
  const sorted = Float64Array.from(times).sort();
  return (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
