import { setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { type Child, type ChildLog, startLogged } from "./child.ts";
import { keepRunning, type Say } from "./keep-running.ts";

/** In doubt, the processor is the ledger's. */
const niceness = 10;
const askEveryMs = 2_000;
/** A busy process that others leave little of the processor answers late. */
const stuckAfterMs = 30_000;

/** The desk. It is killed if its thread is stuck. */
export async function startDesk(
  command: string,
  args: readonly string[],
  log: ChildLog,
  env: NodeJS.ProcessEnv,
): Promise<Child> {
  const child = await startLogged(command, args, log, { env, hasMessages: true });
  try {
    setPriority(child.pid, niceness);
  } catch {
    // It has ended, which its supervisor learns.
  }
  void watch(child);
  return child;
}

async function watch(child: Child): Promise<void> {
  let heardAt = performance.now();
  child.process.on("message", () => {
    heardAt = performance.now();
  });
  for (let askedAt = heardAt; child.isRunning; askedAt = performance.now()) {
    child.process.send?.("alive?", () => {});
    await delay(askEveryMs, undefined, { ref: false });
    // This process may have been stopped itself.
    const wasAsleep = performance.now() - askedAt > 2 * askEveryMs;
    if (wasAsleep) heardAt = performance.now();
    if (performance.now() - heardAt > stuckAfterMs) await child.kill();
  }
}

const patience = { firstDelayMs: 100, longestDelayMs: 5_000, steadyMs: 30_000, attempts: Number.POSITIVE_INFINITY };

export interface KeptDesk {
  stop(graceMs: number): Promise<void>;
}

/** Starts the desk, and again whenever it ends, however often: tracking goes on without it. */
export async function keepDesk(start: () => Promise<Child>, say: Say): Promise<KeptDesk> {
  let child = await start();
  let isStopping = false;
  let starting: Promise<void> | undefined;
  void keepRunning(
    {
      name: "The desk",
      ended: async () => {
        const { code, signal } = await child.exited;
        return `The desk ended (${signal ?? `exit code ${code}`}).`;
      },
      start: () => {
        starting = start().then((started) => {
          child = started;
        });
        return starting;
      },
      isStopping: () => isStopping,
      say,
    },
    patience,
  );
  return {
    stop: async (graceMs) => {
      isStopping = true;
      await starting?.catch(() => {});
      await child.stop(graceMs);
    },
  };
}
