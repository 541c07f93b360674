import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll } from "vitest";
import { node } from "../../scripts/root.ts";
import { buildCli } from "../../sdk/build.ts";

export interface Ended {
  /** The exit code, or null if the process was killed. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly ended: Promise<Ended>;
  /** Returns the standard output so far. */
  out(): string;
  err(): string;
  kill(signal: NodeJS.Signals): void;
}

export type Environment = Readonly<Record<string, string>>;

export interface Command {
  /** The test file's folder. */
  readonly directory: string;
  /** Starts the command in a separate process, which a test can kill. */
  start(args: readonly string[], environment?: Environment): Running;
  /**
   * Runs the command in a thread with its own arguments, environment, output and exit code. A thread starts in a third
   * of the time of a process.
   */
  run(args: readonly string[], environment?: Environment): Promise<Ended>;
}

/** Builds the command before the file's tests. Call it at the top of the file. */
export function command(): Command {
  let directory = "";
  const before = process.cwd();
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "tributary-cli-"));
    await buildCli(join(directory, "cli.mjs"));
    // A thread can't have its own working directory.
    process.chdir(directory);
  });
  afterAll(() => {
    process.chdir(before);
    return rm(directory, { recursive: true, force: true });
  });

  const start: Command["start"] = (args, environment = {}) => {
    const child = spawn(node, [join(directory, "cli.mjs"), ...args], {
      env: environment,
      cwd: directory,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const written = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      written.out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      written.err += text;
    });
    const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, ...written })));
    return { ended, out: () => written.out, err: () => written.err, kill: (signal) => void child.kill(signal) };
  };
  return {
    get directory() {
      return directory;
    },
    start,
    run: (args, environment) => runInThread(join(directory, "cli.mjs"), args, environment),
  };
}

async function runInThread(file: string, args: readonly string[], env: Environment = {}): Promise<Ended> {
  const thread = new Worker(file, { argv: [...args], env, execArgv: [], stdout: true, stderr: true });
  const code = new Promise<number>((resolve, reject) => thread.once("exit", resolve).once("error", reject));
  const [out, err] = await Promise.all([text(thread.stdout), text(thread.stderr)]);
  return { code: await code, out, err };
}
