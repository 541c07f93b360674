import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { node } from "../../scripts/root.ts";
import { buildCli } from "../../sdk/build.ts";

export interface Ended {
  /** Null if it was killed. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly ended: Promise<Ended>;
  /** The standard output so far. */
  out(): string;
  kill(signal: NodeJS.Signals): void;
}

export type Environment = Readonly<Record<string, string>>;

export interface Command {
  /** The test file's own folder. */
  readonly directory: string;
  start(args: readonly string[], environment?: Environment): Running;
  run(args: readonly string[], environment?: Environment): Promise<Ended>;
}

/** Builds the command before the file's tests. Call it at the top of the file. */
export function command(): Command {
  let directory = "";
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "tributary-cli-"));
    await buildCli(join(directory, "cli.mjs"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

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
    return { ended, out: () => written.out, kill: (signal) => void child.kill(signal) };
  };
  return {
    get directory() {
      return directory;
    },
    start,
    run: (args, environment) => start(args, environment).ended,
  };
}
