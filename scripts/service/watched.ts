import type { SpawnOptions } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { type Child, type ChildLog, startLogged } from "./child.ts";

/** Limits for a busy process, which responds late if it gets little processor time. */
const usual = { askEveryMs: 2_000, stuckAfterMs: 30_000 } as const;

interface Watch {
  readonly askEveryMs: number;
  readonly stuckAfterMs: number;
}

/** Starts a process that returns each message, and kills it if it is stuck. */
export async function startWatched(
  command: string,
  args: readonly string[],
  log: ChildLog,
  { env, ...times }: Pick<SpawnOptions, "env"> & Partial<Watch>,
): Promise<Child> {
  const child = await startLogged(command, args, log, { env, hasMessages: true });
  const watch = { ...usual, ...times };
  let stuckForMs: number | undefined;
  void killOnceStuck(child, watch, () => {
    stuckForMs = watch.stuckAfterMs;
  });
  const exited = child.exited.then((exit) => (stuckForMs === undefined ? exit : { ...exit, stuckForMs }));
  return Object.assign(child, { exited });
}

async function killOnceStuck(child: Child, { askEveryMs, stuckAfterMs }: Watch, onStuck: () => void): Promise<void> {
  let heardAt = performance.now();
  child.process.on("message", () => {
    heardAt = performance.now();
  });
  for (let askedAt = heardAt; child.isRunning; askedAt = performance.now()) {
    child.process.send?.("alive?", () => {});
    await delay(askEveryMs, undefined, { ref: false });
    // If this process itself was suspended, it couldn't receive messages.
    const wasAsleep = performance.now() - askedAt > 2 * askEveryMs;
    if (wasAsleep) heardAt = performance.now();
    if (performance.now() - heardAt <= stuckAfterMs) continue;
    onStuck();
    await child.kill();
  }
}
