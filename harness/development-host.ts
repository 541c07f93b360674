import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  type V4MiniflareOptions,
  type V4WorkerOptionsShape,
} from "miniflare";
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler";
import { root } from "../scripts/root.ts";

// The process that runs Miniflare for one service. A test can kill it together with Miniflare's own processes, as a
// machine failure would. development-service.ts communicates with it over IPC.

export interface HostOptions {
  readonly workerDirectory: string;
  readonly publicDirectory?: string;
  readonly bindings: Readonly<Record<string, string>>;
  readonly storageDirectory: string;
  readonly port: number;
  readonly cf: Readonly<Record<string, string>>;
  readonly keepsLogs: boolean;
}

export type ToHost =
  | { readonly ask: "start"; readonly options: HostOptions }
  | { readonly ask: "evict" }
  | { readonly ask: "query"; readonly sql: string; readonly args: (string | number | null)[] };

export type FromHost =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly log: string };

const workerName = "tributary";
let running: { readonly miniflare: Miniflare; readonly ledgerName: string } | undefined;

async function start(options: HostOptions): Promise<string> {
  const { workerDirectory, storageDirectory, port, cf, keepsLogs } = options;
  const files = readdirSync(workerDirectory).filter((file) => file.endsWith(".js") && file !== "worker.js");
  const { bindings, ...worker } = workerOptions(options);
  const miniflareOptions: V4MiniflareOptions = {
    host: "127.0.0.1",
    port,
    cf,
    log: new Log(LogLevel.NONE),
    resourcePersistencePath: storageDirectory,
    unsafeInspectDurableObjects: true,
    handleStructuredLogs: ({ message }) => keepsLogs && tell({ log: message }),
    workers: [
      {
        ...worker,
        name: workerName,
        modulesRoot: workerDirectory,
        modules: ["worker.js", ...files].map((file) => ({
          type: "ESModule" as const,
          path: join(workerDirectory, file),
        })),
        bindings,
      },
    ],
  };
  const miniflare = new Miniflare(convertV4MiniflareOptions(miniflareOptions));
  running = { miniflare, ledgerName: String(bindings.LEDGER_NAME) };
  return (await miniflare.ready).href.replace(/\/$/, "");
}

function workerOptions({ publicDirectory, bindings }: HostOptions) {
  const config = unstable_readConfig({ config: join(root, "wrangler.toml") });
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config);
  const { modulesRules: _, assets, ...options } = workerOptions as V4WorkerOptionsShape;
  return {
    ...options,
    ...(assets && publicDirectory !== undefined && { assets: { ...assets, directory: publicDirectory } }),
    // Reads only wrangler.toml. By default, wrangler would add .dev.vars and the environment, but tests set every
    // secret themselves.
    bindings: { ...config.vars, ...bindings },
  };
}

async function answer(message: ToHost): Promise<unknown> {
  if (message.ask === "start") return start(message.options);
  if (running === undefined) throw new Error("not started");
  const { miniflare, ledgerName: name } = running;
  switch (message.ask) {
    case "evict":
      return miniflare.unsafeEvictDurableObject(workerName, "Ledger", { name });
    case "query": {
      const storage = await miniflare.unsafeGetDurableObjectStorage(workerName, "Ledger", { name });
      return storage.exec(message.sql, ...message.args);
    }
  }
}

const tell = (message: FromHost) => process.send?.(message);

process.on("message", (message: ToHost & { readonly id: number }) => {
  answer(message).then(
    (result) => tell({ id: message.id, answer: result }),
    (error: unknown) =>
      tell({ id: message.id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
process.on("disconnect", () => process.exit());
