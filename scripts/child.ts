import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * A child process at the head of a process group of its own: a signal reaches its children too, and a Ctrl-C in
 * the terminal reaches only us, so that we decide in which order things stop. A watchdog ends the group when this
 * process dies without having done so itself, even by SIGKILL: the end of its standard input tells it.
 */
export interface Child {
  readonly pid: number;
  readonly process: ChildProcess;
  readonly exited: Promise<Exit>;
  readonly isRunning: boolean;
  signal(signal: NodeJS.Signals): void;
  /** SIGTERM, and SIGKILL to what is left after `graceMs`. */
  stop(graceMs?: number): Promise<void>;
  kill(): Promise<void>;
}

const watchdogScript = `cat >/dev/null 2>&1
kill -CONT "-$0"; kill -TERM "-$0"; sleep 3; kill -KILL "-$0"`;

export async function startChild(
  command: string,
  args: readonly string[],
  options: Pick<SpawnOptions, "cwd" | "env" | "stdio"> = {},
): Promise<Child> {
  const child = spawn(command, args, { stdio: "ignore", ...options, detached: true });
  const exited = new Promise<Exit>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} did not start`);

  const watchdog = spawn("sh", ["-c", watchdogScript, String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  const watchdogExited = new Promise<void>((resolve) => watchdog.once("exit", () => resolve()));
  void exited.then(() => {
    if (watchdog.pid !== undefined) signalGroup(watchdog.pid, "SIGKILL");
  });

  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const kill = async () => {
    signalGroup(pid, "SIGKILL");
    await exited;
    await watchdogExited;
  };
  return {
    pid,
    process: child,
    exited,
    get isRunning() {
      return isRunning();
    },
    signal: (signal) => signalGroup(pid, signal),
    stop: async (graceMs = 5_000) => {
      if (isRunning()) {
        // A stopped process does not see SIGTERM before it is continued.
        signalGroup(pid, "SIGCONT");
        signalGroup(pid, "SIGTERM");
        await Promise.race([exited, delay(graceMs, undefined, { ref: false })]);
      }
      await kill();
    },
    kill,
  };
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // ESRCH: nothing of the group is left. EPERM: macOS says so of a group of zombies.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}
