import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { User } from "../harness/session.ts";
import type { World } from "../harness/world.ts";
import type { Full } from "./floods.ts";

/** The flood's settings, as passed to a thread. */
export interface Flooding {
  readonly url: string;
  readonly cookies: ReadonlyMap<string, string>;
  readonly world: Full["world"];
  readonly callers: number;
}

export interface Flood {
  /** Starts the flood. `kinds` are the names of the kinds of calls. */
  begin(kinds: readonly string[]): Promise<void>;
  /** Resolves once the last calls have their responses. */
  end(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a thread for floods. Each kind of call is sent by `callers` callers. */
export function openFlood(owner: User, { programId, key, partner }: World, callers: number): Flood {
  const { landingUrl, code } = partner;
  const workerData: Flooding = {
    url: owner.url,
    cookies: owner.cookies,
    callers,
    world: { programId, key, partner: { landingUrl, code } },
  };
  const worker = new Worker(new URL("flood.thread.ts", import.meta.url), { workerData });
  const ask = async (kinds: readonly string[]) => {
    worker.postMessage(kinds);
    await once(worker, "message");
  };
  const stop = async () => {
    await worker.terminate();
  };
  return { begin: ask, end: () => ask([]), stop };
}
