import { type ChildProcess, execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject, vi } from "vitest";
import type { Shard } from "#domain/ids.ts";
import { home } from "#domain/shard.ts";
import { databaseFileOf } from "../../scripts/backup/data-paths.ts";
import { node, root } from "../../scripts/root.ts";
import { freePort } from "../../scripts/service/ports.ts";
import { nodeEnvironment } from "../support/node-environment.ts";

export interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  readonly banner: string;
  readonly exited: Promise<number | null>;
}

export interface StartOptions {
  readonly port: number;
  /** The folder of the project. */
  readonly cwd: string;
  readonly args?: readonly string[];
  /** The default is false. */
  readonly hasSample?: boolean;
  readonly limits?: "on" | "off";
  readonly env?: Readonly<Record<string, string>>;
  readonly onSpawn?: (child: ChildProcess) => void;
}

/** The environment in which commands in the tests' own folder use the run's build. */
export const builtBefore = (): Readonly<Record<string, string>> => ({
  ...nodeEnvironment("build-preload.ts"),
  TEST_BUILD: inject("buildDirectory"),
  TEST_SDK: JSON.stringify(inject("sdk")),
});

/** Runs `npm start` until it has printed its banner or has ended. */
export async function start({
  port,
  cwd,
  args = [],
  hasSample = false,
  limits = "off",
  env = {},
  onSpawn,
}: StartOptions): Promise<Started> {
  const child = spawn(node, ["scripts/service/start.ts", ...args, ...(hasSample ? [] : ["--no-sample"])], {
    cwd,
    env: { ...process.env, PORT: String(port), RATE_LIMITS: limits, ...(cwd === root && builtBefore()), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onSpawn?.(child);
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let banner = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      banner += text;
    });
  }
  await vi.waitUntil(() => banner.includes("Ctrl-C") || child.exitCode !== null, { timeout: 60_000 });
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    exited,
    get banner() {
      return banner;
    },
  };
}

export interface Served {
  readonly child: ChildProcess;
  readonly url: string;
  readonly log: string;
  readonly errors: string;
  readonly exited: Promise<number | null>;
}

export interface ServeOptions {
  readonly data: string;
  readonly port: number;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly onSpawn?: (child: ChildProcess) => void;
}

/** Runs `npm run serve` without a terminal and without a home folder, until it is ready or has ended. */
export async function serve({ data, port, args = [], env = {}, onSpawn }: ServeOptions): Promise<Served> {
  const flags = ["--data", data, "--port", String(port), ...args];
  const child = spawn(node, [join(root, "scripts/service/serve.ts"), ...flags], {
    cwd: "/",
    env: { METRICS_PORT: String(await freePort()), ...builtBefore(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onSpawn?.(child);
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  let log = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const isReady = vi.waitUntil(() => log.includes('"Ready at') || child.exitCode !== null, { timeout: 60_000 });
  await Promise.race([isReady, exited]);
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    exited,
    get log() {
      return log;
    },
    get errors() {
      return errors;
    },
  };
}

/** Returns the id of the process that serves requests and contains the databases. */
export async function servingPid(service: ChildProcess): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,args="]);
  const found = stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .find(
      ([, ppid, ...command]) => ppid === String(service.pid) && command.join(" ").includes("runtime/node/ledger.ts"),
    );
  return Number(found?.[0]);
}

const lockScript = `
  const { DatabaseSync } = require("node:sqlite");
  new DatabaseSync(process.argv[1], { timeout: 10_000 }).exec("begin immediate");
  process.stdout.write("locked");
  setInterval(() => {}, 1_000);
`;

/**
 * Blocks all writers, like a disk that doesn't respond. Uses a separate process, because another SQLite library in this
 * process would release the lock. Returns a function that ends the block.
 */
export async function lockDatabase(data: string, shard: Shard = home): Promise<() => Promise<void>> {
  const child = spawn(node, ["-e", lockScript, join(data, databaseFileOf(shard))], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
  return async () => {
    child.kill("SIGKILL");
    await exited;
  };
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGINT");
  await new Promise((resolve) => child.once("exit", resolve));
}
