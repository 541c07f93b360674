import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { build } from "../scripts/build.ts";
import { startService, testSecrets, trustLoopback } from "../test/support/service.ts";
import { type BuiltWorker, readBuiltWorker } from "../test/support/worker-options.ts";
import { ownWorkerds } from "./processes.ts";
import { startWorkerd } from "./workerd.ts";

/** Behind the front of the local development runtime, and alone. */
export const runtimes = ["miniflare", "workerd"] as const;
export type Runtime = (typeof runtimes)[number];

/** A Worker that answers. */
export interface Target {
  readonly url: string;
  /** Of its workerd, where that is known. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

export interface Workers {
  readonly ours: BuiltWorker;
  readonly bare: BuiltWorker;
}

export async function buildWorkers(directory: string): Promise<Workers> {
  const ours = withoutAssets(readBuiltWorker(await build({ directory: join(directory, "ours") })));
  const entry = "bench/bare.worker.ts";
  const bare = readBuiltWorker(await build({ directory: join(directory, "bare"), entry }));
  const { compatibilityDate = "", compatibilityFlags = [], durableObjects = {} } = bare.options;
  return { ours, bare: { ...bare, options: { compatibilityDate, compatibilityFlags, durableObjects } } };
}

/** The development runtime puts a hop of its own in front of a Worker with assets, which is none of ours. */
function withoutAssets(worker: BuiltWorker): BuiltWorker {
  const { assets: _, ...options } = worker.options;
  return { ...worker, options };
}

export async function startTarget(
  runtime: Runtime,
  worker: BuiltWorker,
  databaseUrl: string,
  directory: string,
): Promise<Target> {
  const vars = { RATE_LIMITS: "off", SIGN_UP: "open" };
  if (runtime === "workerd") {
    await mkdir(directory, { recursive: true });
    return startWorkerd(worker, { ...testSecrets, ...trustLoopback, ...vars, DATABASE_URL: databaseUrl }, directory);
  }
  const before = ownWorkerds();
  const service = await startService({ worker, databaseUrl, vars, keepsLogs: false });
  const [pid] = [...ownWorkerds()].filter((each) => !before.has(each));
  return { url: service.url, pid, stop: () => service.stop() };
}
