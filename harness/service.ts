import { closeSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type ClickKeyRing, parseClickKeyRing } from "#domain/click-id.ts";
import type { ScryptCost } from "#domain/password-hash.ts";
import { deriveKey } from "#http/derive-key.ts";
import type { ServedFiles } from "../scripts/build/served-files.ts";
import type { Child } from "../scripts/service/child.ts";
import { freePort } from "../scripts/service/ports.ts";
import {
  type PreparedRuntime,
  prepareRuntime,
  type RuntimeOptions,
  type RuntimeProcess,
} from "../scripts/service/runtime.ts";
import { compileCache, dataFolder } from "./data-folder.ts";
import type { DatabaseProxy } from "./database-proxy.ts";
import { portsVariable } from "./proxy-messages.ts";
import { chosenRuntime, commands, type Runtime } from "./runtimes.ts";
import { send } from "./send.ts";

export interface ServiceOptions {
  /** The service's runtime. The default is that of TEST_RUNTIME. */
  readonly runtime?: Runtime | undefined;
  readonly build: ServedFiles;
  readonly databaseUrl: string;
  /** Proxies of the databases, if any. The proxy of a database file works inside the service. */
  readonly proxies?: readonly DatabaseProxy[];
  readonly shards?: RuntimeOptions["shards"];
  readonly vars?: Readonly<Record<string, string>>;
  /** Calls per minute by binding, in place of those in wrangler.toml. */
  readonly limits?: Readonly<Record<string, number>>;
  readonly environment?: RuntimeOptions["environment"];
  /** True keeps the log in memory, false writes it to a file. The default is true. */
  readonly keepsLogs?: boolean;
}

export interface Service {
  /** The service's URL without a trailing slash. A restart keeps it. */
  readonly url: string;
  readonly logs: readonly string[];
  clearLogs(): void;
  /** Kills the whole runtime with `kill -9`. Its storage stays. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** Stops the service and removes its storage. */
  stop(): Promise<void>;
}

export interface PlainService extends Service, Pick<RuntimeProcess, "pid" | "reportDisk" | "reportClock"> {
  /** The URL that serves `/metrics`. */
  readonly localUrl: string;
  /** The desk, the process for everything but tracking. Undefined in workerd, where one process does everything. */
  readonly desk: Child | undefined;
  /** The folder with the storage of the objects (Ledger, webhook and mail senders). */
  readonly objects: string;
}

export const testSecrets = {
  DATABASE_AUTH_TOKEN: "unused-by-a-local-server",
  CLICK_KEYS: `1:${Buffer.alloc(32, "signs click ids in tests").toString("base64url")}`,
  HASH_SECRET: Buffer.alloc(32, "keys the digests in tests").toString("base64url"),
  DATA_KEYS: `1:${Buffer.alloc(32, "encrypts data in tests").toString("base64url")}`,
  AUTH_SECRET: Buffer.alloc(32, "signs sessions in tests").toString("base64url"),
} as const;

const ring = parseClickKeyRing(testSecrets.CLICK_KEYS);
if (ring === undefined) throw new Error("the tests' own click keys are not good");
export const testClickKeys: ClickKeyRing = ring;

/** Variables of services in tests. Each caller sends its own address in a header, as a proxy on this machine would. */
export const testVars = {
  ADDRESS_FROM: "peer",
  TRUSTED_PROXIES: "127.0.0.1",
  // Unlike the default, X-Forwarded-For, this header doesn't make the caller count as a caller from another machine.
  CLIENT_ADDRESS_HEADER: "CF-Connecting-IP",
  SIGN_UP: "open",
  HASHES_PER_SECOND: "1000",
} as const;

/** A cheap password hash, because tests don't verify the cost. The usual one takes a tenth of a second of CPU time. */
export const quickCost: ScryptCost = { N: 16, r: 1, p: 1 };

const deriveQuickly: typeof deriveKey = (derivation) => deriveKey({ ...derivation, ...quickCost });

const maxAttempts = 5;
const readyWithinMs = 20_000;

export async function startService({
  vars,
  keepsLogs = true,
  runtime = chosenRuntime(process.env),
  proxies = [],
  ...options
}: ServiceOptions): Promise<PlainService> {
  const directory = await mkdtemp(join(dataFolder(), "tributary-service-"));
  const logFile = join(directory, "service.log");
  const logs: string[] = [];
  let [port, metricsPort] = [await freePort(), await freePort()];
  let processes: Processes | undefined;
  const running = (): Processes => {
    if (processes === undefined) throw new Error("the service has not been started");
    return processes;
  };
  const urlOf = (socket: number) => `http://127.0.0.1:${socket}`;

  const launch = async (): Promise<boolean> => {
    const file = keepsLogs ? undefined : openSync(logFile, "a");
    const prepared = await prepareRuntime({
      commandOf: withProxies(commands[runtime], proxies),
      ...options,
      environment: { ...compileCache(), ...options.environment },
      directory,
      host: "127.0.0.1",
      port,
      metricsPort,
      vars: { ...testVars, ...vars },
      secrets: testSecrets,
      deriveKey: deriveQuickly,
      log: file ?? ((line) => logs.push(line)),
    });
    processes = await startProcesses(prepared);
    if (file !== undefined) closeSync(file);
    return isUp(processes.main, urlOf(port));
  };
  const kill = async () => {
    if (processes === undefined) return;
    await Promise.all([processes.main.kill(), processes.desk?.kill()]);
    processes.close();
  };
  const failure = async () => {
    const lines = keepsLogs ? logs.join("\n") : await readFile(logFile, "utf8");
    return new Error(`the service did not start:\n${lines}`);
  };
  const stop = async () => {
    await kill();
    await rm(directory, { recursive: true, force: true });
  };
  const attempt = { launch, kill, failure };
  try {
    // Tries again, because another process may take the free port first.
    await untilUp(attempt, async () => {
      [port, metricsPort] = [await freePort(), await freePort()];
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: urlOf(port),
    localUrl: urlOf(metricsPort),
    objects: join(directory, "objects"),
    logs,
    clearLogs: () => {
      logs.length = 0;
    },
    get pid() {
      return running().main.pid;
    },
    get desk() {
      return running().desk;
    },
    reportDisk: (report) => running().main.reportDisk(report),
    reportClock: (report) => running().main.reportClock(report),
    kill,
    restart: () => untilUp(attempt, () => delay(100)),
    stop,
  };
}

type CommandOf = (typeof commands)[Runtime];

/** Makes the Node process ask the proxies of its database files. */
function withProxies(commandOf: CommandOf, proxies: readonly DatabaseProxy[]): CommandOf {
  const ports = proxies.flatMap(({ inProcess }) => (inProcess === undefined ? [] : [[inProcess.file, inProcess.port]]));
  if (ports.length === 0) return commandOf;
  const preload = new URL("./faulty-databases-preload.ts", import.meta.url).href;
  return async (settings) => {
    const command = await commandOf(settings);
    const environment = { ...command.environment, [portsVariable]: JSON.stringify(Object.fromEntries(ports)) };
    const withPreload = (args: readonly string[]) => ["--import", preload, ...args];
    const { args, desk } = command;
    return { ...command, args: withPreload(args), ...(desk && { desk: withPreload(desk) }), environment };
  };
}

interface Attempt {
  readonly launch: () => Promise<boolean>;
  readonly kill: () => Promise<void>;
  readonly failure: () => Promise<Error>;
}

async function untilUp({ launch, kill, failure }: Attempt, beforeAgain: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await kill();
    if (await launch()) return;
    if (attempt === maxAttempts) throw await failure();
    await beforeAgain();
  }
}

interface Processes {
  readonly main: RuntimeProcess;
  readonly desk: Child | undefined;
  close(): void;
}

async function startProcesses({ start, startDesk, close }: PreparedRuntime): Promise<Processes> {
  const [main, desk] = await Promise.all([start(), startDesk?.()]);
  return { main, desk, close };
}

/** One file that each process serves. Requests for it aren't logged. */
const files = ["/js/svc-tracker.js", "/robots.txt"];

/** Waits until all processes respond. Returns false if the first process ended. */
async function isUp(main: RuntimeProcess, url: string): Promise<boolean> {
  const deadline = Date.now() + readyWithinMs;
  const isServed = (file: string) =>
    send(`${url}${file}`, { method: "HEAD", headers: {} }).then(
      ({ status }) => status === 200,
      () => false,
    );
  for (const file of files) {
    while (!(await isServed(file))) {
      if (!main.isRunning || Date.now() > deadline) return false;
      await delay(25);
    }
  }
  return main.isRunning;
}
