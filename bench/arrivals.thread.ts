import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import type { Arrival, Arrivals } from "./open-loop.ts";

// Sends calls at fixed instants, from a thread of its own, so that other load in the benchmark's process doesn't delay
// them.

const { url, method, path, headers, bodies, perSecond } = workerData as Arrivals;
const agent = new Agent({ keepAlive: true });

function send(body: string, due: number): Promise<Arrival> {
  return new Promise((resolve) => {
    const end = (status: number, answer: string) => resolve({ status, answer, ms: performance.now() - due });
    const sent = request(`${url}${path}`, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => end(response.statusCode ?? 0, Buffer.concat(chunks).toString()));
      response.on("error", (error) => end(0, String(error)));
    });
    sent.on("error", (error) => end(0, String(error)));
    sent.end(body);
  });
}

const startedAt = performance.now();
const sent: Promise<Arrival>[] = [];
for (const [i, body] of bodies.entries()) {
  const due = startedAt + (i * 1_000) / perSecond;
  const wait = due - performance.now();
  if (wait >= 1) await delay(wait);
  sent.push(send(body, due));
}
parentPort?.postMessage(await Promise.all(sent));
agent.destroy();
