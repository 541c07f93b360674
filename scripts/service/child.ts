import { type ChildProcess, type SpawnOptions, type StdioOptions, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { node, root } from "../root.ts";

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The time for which the process hadn't responded. Set if it was killed for this reason. */
  readonly stuckForMs?: number;
}

/** A sentence with the reason why a process ended. */
export const whyEnded = (name: string, { code, signal, stuckForMs }: Exit): string =>
  stuckForMs === undefined
    ? `${name} ended (${signal ?? `exit code ${code}`}).`
    : `${name} was killed: its process hadn't responded for ${stuckForMs / 1_000} s.`;

/**
 * A child process that leads its own process group. A signal to it also reaches its own child processes. Ctrl-C in the
 * terminal reaches only the parent, which decides the order in which processes stop. If the parent dies first, even by
 * SIGKILL, a watchdog ends the group, because the watchdog's standard input ends at that moment.
 */
export interface Child {
  readonly pid: number;
  readonly process: ChildProcess;
  readonly exited: Promise<Exit>;
  readonly isRunning: boolean;
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGTERM, and SIGKILL after `graceMs`. */
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
        // A suspended process receives SIGTERM only once it continues.
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
    // ESRCH: the group no longer exists. EPERM: macOS returns this for a group of zombie processes.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

/** The destination of standard output and error: a file descriptor, or a function that gets their lines. */
export type ChildLog = number | ((line: string) => void);

export async function startLogged(
  command: string,
  args: readonly string[],
  log: ChildLog,
  { env, hasMessages = false }: Pick<SpawnOptions, "env"> & { readonly hasMessages?: boolean },
): Promise<Child> {
  const output = typeof log === "number" ? log : "pipe";
  const stdio: StdioOptions = ["ignore", output, output];
  if (hasMessages) stdio.push("ipc");
  const child = await startChild(command, args, { stdio, env });
  if (typeof log === "function") {
    for (const stream of [child.process.stdout, child.process.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on("line", log);
    }
  }
  return child;
}

/** Runs a script in a separate process, so that its memory is freed afterwards. Returns true if it succeeded. */
export async function runApart(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  log: ChildLog,
): Promise<boolean> {
  const child = await startLogged(node, [join(root, script), ...args], log, { env });
  return (await child.exited).code === 0;
}
