import { setPriority } from "node:os";
import { type Child, type ChildLog, whyEnded } from "./child.ts";
import { keepRunning, type Say } from "./keep-running.ts";
import { startWatched } from "./watched.ts";

/**
 * The priority of the desk (the process for everything but tracking). The ledger process takes precedence if the CPU is
 * busy.
 */
const niceness = 10;

export async function startDesk(
  command: string,
  args: readonly string[],
  log: ChildLog,
  env: NodeJS.ProcessEnv,
): Promise<Child> {
  const child = await startWatched(command, args, log, { env });
  try {
    setPriority(child.pid, niceness);
  } catch {
    // The process has ended. Its supervisor detects this by itself.
  }
  return child;
}

const patience = { firstDelayMs: 100, longestDelayMs: 5_000, steadyMs: 30_000, attempts: Number.POSITIVE_INFINITY };

export interface KeptDesk {
  stop(graceMs: number): Promise<void>;
}

/** Starts the desk process, and restarts it whenever it ends. Tracking continues without it. */
export async function keepDesk(start: () => Promise<Child>, say: Say): Promise<KeptDesk> {
  let child = await start();
  let isStopping = false;
  let starting: Promise<void> | undefined;
  void keepRunning(
    {
      name: "The desk",
      ended: async () => {
        return whyEnded("The desk", await child.exited);
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
