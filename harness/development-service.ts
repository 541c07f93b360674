import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { node } from "../scripts/root.ts";
import { type Child, startChild } from "../scripts/service/child.ts";
import type { FromHost, HostOptions, ToHost } from "./development-host.ts";
import { type Service, type ServiceOptions, testSecrets, testVars } from "./service.ts";

/**
 * A service that runs the built Worker in Miniflare, which simulates features of Cloudflare that plain workerd lacks.
 */
export interface DevelopmentService extends Service {
  /** Evicts the Ledger, as Cloudflare may do at any time. The next call starts it again with its storage. */
  evictLedger(): Promise<void>;
  ledgerStorage(sql: string, ...args: (string | number | null)[]): Promise<Record<string, unknown>[]>;
}

export const callerLocation = { country: "NL", region: "Gelderland", city: "Arnhem" } as const;
const cf = { ...callerLocation, clientIp: "127.0.0.1:50000" } as const;

interface DevelopmentServiceOptions extends Omit<ServiceOptions, "limits"> {
  readonly hasAssets?: boolean;
}

export async function startDevelopmentService({
  build: { workerDirectory, publicDirectory },
  databaseUrl,
  vars,
  keepsLogs = true,
  hasAssets = true,
}: DevelopmentServiceOptions): Promise<DevelopmentService> {
  const directory = await mkdtemp(join(tmpdir(), "tributary-development-"));
  const storageDirectory = join(directory, "storage");
  const scratchDirectory = join(directory, "scratch");
  await mkdir(scratchDirectory);
  const bindings = { ...testSecrets, ...testVars, DATABASE_URL: databaseUrl, ...vars };
  const logs: string[] = [];
  let host: Host;
  let url: string;

  const start = async (port: number) => {
    host = await startHost(scratchDirectory, (line) => logs.push(line));
    const options: HostOptions = {
      workerDirectory,
      bindings,
      storageDirectory,
      port,
      cf,
      keepsLogs,
      ...(hasAssets && { publicDirectory }),
    };
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
      await host.ask({ ask: "evict" });
    },
    ledgerStorage: async (sql, ...args) => (await host.ask({ ask: "query", sql, args })) as Record<string, unknown>[],
    kill: () => host.child.kill(),
    restart: async () => {
      await host.child.kill();
      await start(Number(new URL(url).port));
    },
    stop,
  };
}

interface Host {
  readonly child: Child;
  ask(message: ToHost): Promise<unknown>;
}

async function startHost(scratchDirectory: string, onLog: (line: string) => void): Promise<Host> {
  const child = await startChild(node, [join(import.meta.dirname, "development-host.ts")], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    // Doesn't pass on the test runner's flags. TMPDIR contains files that a killed process leaves behind.
    env: {
      ...process.env,
      NODE_OPTIONS: "",
      TMPDIR: scratchDirectory,
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      WRANGLER_LOG: "none",
    },
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
  void child.exited.then(({ code, signal }) => {
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
