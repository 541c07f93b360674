import { setTimeout as delay } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { createApi } from "../harness/client.ts";
import { createSession } from "../harness/session.ts";
import type { Flooding } from "./flood.ts";
import { type Full, floods } from "./floods.ts";

// Sends floods in a separate thread, so that reading their responses doesn't slow down the measured calls.

const { url, cookies, world, callers }: Flooding = workerData;
const owner = createSession(url);
for (const [name, value] of cookies) owner.cookies.set(name, value);
const full: Full = { api: createApi(url), owner, world };

let sent = 0;
let end: () => Promise<void> = async () => {};

/** Each caller sends the next call once it has its answer. */
function begin(kinds: readonly string[]): void {
  let isOver = false;
  const call = async (send: (n: string) => Promise<unknown>) => {
    while (!isOver) {
      sent += 1;
      await send(String(sent)).catch(() => delay(10));
    }
  };
  const sends = kinds.flatMap((kind) => floods[kind]?.(full) ?? []);
  const all = Promise.all(sends.flatMap((send) => Array.from({ length: callers }, () => call(send))));
  end = async () => {
    isOver = true;
    await all;
  };
}

parentPort?.on("message", async (kinds: readonly string[]) => {
  if (kinds.length > 0) begin(kinds);
  else await end();
  parentPort?.postMessage("done");
});
