import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4MiniflareOptions } from "miniflare";
import type { BuiltWorker } from "./worker-options.ts";

// The main file of a process that runs workerd for one service, so that the two can be killed together, as a machine
// that fails would. service.ts speaks to it.

export interface HostOptions {
  readonly worker: BuiltWorker;
  readonly bindings: Readonly<Record<string, string>>;
  readonly storageDirectory: string;
  readonly port: number;
  /** What Cloudflare tells of a caller. */
  readonly cf: Readonly<Record<string, string>>;
  readonly keepsLogs: boolean;
}

/** A line that the Worker or the Ledger wrote with `console`. */
export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly timestamp: number;
}

export type ToHost =
  | { readonly ask: "start"; readonly options: HostOptions }
  | { readonly ask: "evict"; readonly name: string }
  | { readonly ask: "query"; readonly name: string; readonly sql: string; readonly args: (string | number | null)[] }
  | { readonly ask: "stop" };

export type FromHost =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly log: LogLine };

const workerName = "tributary";
let miniflare: Miniflare | undefined;

async function start({ worker, bindings, storageDirectory, port, cf, keepsLogs }: HostOptions): Promise<string> {
  const options: V4MiniflareOptions = {
    host: "127.0.0.1",
    port,
    cf,
    log: new Log(LogLevel.NONE),
    resourcePersistencePath: storageDirectory,
    unsafeInspectDurableObjects: true,
    handleStructuredLogs: (log: LogLine) => keepsLogs && tell({ log }),
    workers: [
      {
        ...worker.options,
        name: workerName,
        modulesRoot: worker.directory,
        modules: worker.modules.map((file) => ({ type: "ESModule" as const, path: `${worker.directory}/${file}` })),
        bindings: { ...worker.options.bindings, ...bindings },
      },
    ],
  };
  miniflare = new Miniflare(convertV4MiniflareOptions(options));
  return (await miniflare.ready).href.replace(/\/$/, "");
}

async function answer(message: ToHost): Promise<unknown> {
  if (message.ask === "start") return start(message.options);
  if (miniflare === undefined) throw new Error("not started");
  switch (message.ask) {
    case "evict":
      return miniflare.unsafeEvictDurableObject(workerName, "Ledger", { name: message.name });
    case "query": {
      const storage = await miniflare.unsafeGetDurableObjectStorage(workerName, "Ledger", { name: message.name });
      return storage.exec(message.sql, ...message.args);
    }
    case "stop":
      return miniflare.dispose();
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
