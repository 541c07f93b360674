import { join } from "node:path";
import { startDevelopmentService } from "../harness/development-service.ts";
import { startService } from "../harness/service.ts";
import { build } from "../scripts/build.ts";
import type { ServedFiles } from "../scripts/served-files.ts";
import { ownWorkerds } from "./processes.ts";

/** "workerd" runs as in `npm start`. "miniflare" adds the development runtime's own front. */
export const runtimes = ["miniflare", "workerd"] as const;
export type Runtime = (typeof runtimes)[number];

export interface Target {
  readonly url: string;
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

export interface Workers {
  readonly ours: ServedFiles;
  readonly bare: ServedFiles;
}

export const buildWorkers = async (directory: string): Promise<Workers> => ({
  ours: await build({ directory: join(directory, "ours") }),
  bare: await build({ directory: join(directory, "bare"), entry: "bench/bare.worker.ts" }),
});

export async function startTarget(runtime: Runtime, worker: ServedFiles, databaseUrl: string): Promise<Target> {
  const options = { build: worker, databaseUrl, vars: { RATE_LIMITS: "off" }, keepsLogs: false };
  if (runtime === "workerd") return startService(options);
  const before = ownWorkerds();
  // Without assets, because the development runtime adds a hop for them.
  const { url, stop } = await startDevelopmentService({ ...options, hasAssets: false });
  const [pid] = [...ownWorkerds()].filter((each) => !before.has(each));
  return { url, pid, stop };
}
