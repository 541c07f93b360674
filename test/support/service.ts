import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Child, startChild } from "../../scripts/child.ts";
import { node } from "../../scripts/root.ts";
import { type ClickKeyRing, parseClickKeyRing } from "../../src/domain/click-id.ts";
import type { FromHost, HostOptions, LogLine, ToHost } from "./worker-host.ts";
import type { BuiltWorker } from "./worker-options.ts";

export interface ServiceOptions {
  readonly worker: BuiltWorker;
  readonly databaseUrl: string;
  /** Over those of wrangler.toml and the secrets below: LEDGER_NAME, RATE_LIMITS, CLICK_KEYS, … */
  readonly vars?: Readonly<Record<string, string>>;
  /** Over the limits of wrangler.toml, by their bindings: calls a minute. */
  readonly limits?: Readonly<Record<string, number>>;
  /** Default: true. */
  readonly keepsLogs?: boolean;
}

/** The built Worker in workerd, with a Ledger and its durable storage, on 127.0.0.1. */
export interface Service {
  /** No slash at the end. The same after a restart. */
  readonly url: string;
  /** What the Worker and the Ledger wrote with `console`, since the start or `clearLogs`. */
  readonly logs: readonly LogLine[];
  clearLogs(): void;
  /** Removes the Ledger from memory, as Cloudflare may at any time. The next call makes it anew on its storage. */
  evictLedger(): Promise<void>;
  /** Reads the Ledger's own durable storage. */
  ledgerStorage(sql: string, ...args: (string | number | null)[]): Promise<Record<string, unknown>[]>;
  /** `kill -9` to the whole runtime. Its storage stays. */
  kill(): Promise<void>;
  /** Starts it again after `kill`. */
  restart(): Promise<void>;
  /** Ends it and removes its storage. */
  stop(): Promise<void>;
}

/** Secrets for tests alone. */
export const testSecrets = {
  DATABASE_AUTH_TOKEN: "unused-by-a-local-server",
  CLICK_KEYS: `1:${Buffer.alloc(32, "signs click ids in tests").toString("base64url")}`,
  HASH_SECRET: Buffer.alloc(32, "keys the digests in tests").toString("base64url"),
  AUTH_SECRET: Buffer.alloc(32, "signs sessions in tests").toString("base64url"),
} as const;

const ring = parseClickKeyRing(testSecrets.CLICK_KEYS);
if (ring === undefined) throw new Error("the tests' own click keys are not good");
/** Signs click ids as a service with the secrets above does. */
export const testClickKeys: ClickKeyRing = ring;

/** Each caller has an address of its own, which it gives as a proxy on this machine would. */
export const trustLoopback = { ADDRESS_FROM: "workerd", TRUSTED_PROXIES: "127.0.0.1" } as const;

/** Where every caller is, as the runtime tells it. */
export const callersPlace = { country: "NL", region: "Gelderland", city: "Arnhem" } as const;
const cf = { ...callersPlace, clientIp: "127.0.0.1:50000" } as const;

export async function startService({
  worker,
  databaseUrl,
  vars = {},
  limits = {},
  keepsLogs = true,
}: ServiceOptions): Promise<Service> {
  const directory = await mkdtemp(join(tmpdir(), "tributary-workerd-"));
  const storageDirectory = join(directory, "storage");
  const scratchDirectory = join(directory, "scratch");
  await mkdir(scratchDirectory);
  const limited = withLimits(worker, limits);
  const bindings = { ...testSecrets, ...trustLoopback, SIGN_UP: "open", DATABASE_URL: databaseUrl, ...vars };
  const ledgerName = vars.LEDGER_NAME ?? String(worker.options.bindings?.LEDGER_NAME);
  const logs: LogLine[] = [];
  let host: Host;
  let url: string;

  const start = async (port: number) => {
    host = await startHost(scratchDirectory, (log) => logs.push(log));
    const options: HostOptions = { worker: limited, bindings, storageDirectory, port, cf, keepsLogs };
    url = (await host.ask({ ask: "start", options })) as string;
  };
  const stop = async () => {
    await host.child.kill();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await start(0);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    get url() {
      return url;
    },
    logs,
    clearLogs: () => {
      logs.length = 0;
    },
    evictLedger: async () => {
      await host.ask({ ask: "evict", name: ledgerName });
    },
    ledgerStorage: async (sql, ...args) =>
      (await host.ask({ ask: "query", name: ledgerName, sql, args })) as Record<string, unknown>[],
    kill: () => host.child.kill(),
    restart: async () => {
      await host.child.kill();
      await start(Number(new URL(url).port));
    },
    stop,
  };
}

function withLimits(worker: BuiltWorker, limits: Readonly<Record<string, number>>): BuiltWorker {
  const { ratelimits = {}, bindings = {} } = worker.options;
  const period = 60 as const;
  const given = Object.entries(limits).map(([name, limit]) => {
    const bound = ratelimits[name];
    if (bound === undefined) throw new Error(`wrangler.toml binds no ${name}`);
    return { limit: [name, { ...bound, simple: { limit, period } }], told: [`${name}_PER_MINUTE`, String(limit)] };
  });
  const options = {
    ...worker.options,
    ratelimits: { ...ratelimits, ...Object.fromEntries(given.map(({ limit }) => limit)) },
    bindings: { ...bindings, ...Object.fromEntries(given.map(({ told }) => told)) },
  };
  return { ...worker, options };
}

interface Host {
  readonly child: Child;
  ask(message: ToHost): Promise<unknown>;
}

async function startHost(scratchDirectory: string, onLog: (log: LogLine) => void): Promise<Host> {
  const child = await startChild(node, [join(import.meta.dirname, "worker-host.ts")], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    // The runner's own flags are not for this process, and what it leaves behind when killed goes with the rest.
    env: { ...process.env, NODE_OPTIONS: "", TMPDIR: scratchDirectory, CLOUDFLARE_CF_FETCH_ENABLED: "false" },
  });
  const waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
  let lastId = 0;
  child.process.on("message", (message: FromHost) => {
    if ("log" in message) return onLog(message.log);
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if ("error" in message) asked?.reject(new Error(message.error));
    else asked?.resolve(message.answer);
  });
  child.exited.then(({ code, signal }) => {
    for (const { reject } of waiting.values()) reject(new Error(`the Worker's host ended (${signal ?? code})`));
    waiting.clear();
  });
  return {
    child,
    ask: (message) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        const id = lastId;
        waiting.set(id, { resolve, reject });
        child.process.send({ ...message, id }, (error) => {
          if (error !== null && waiting.delete(id)) reject(error);
        });
      }),
  };
}
