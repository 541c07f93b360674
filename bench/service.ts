import { join } from "node:path";
import { build } from "../scripts/build.ts";
import type { ServedFiles } from "../scripts/served-files.ts";
import { type PlainService, startService } from "../test/support/service.ts";

/** A Worker that answers. */
export type Target = Pick<PlainService, "url" | "pid" | "stop">;

export interface Workers {
  readonly ours: ServedFiles;
  readonly bare: ServedFiles;
}

export const buildWorkers = async (directory: string): Promise<Workers> => ({
  ours: await build({ directory: join(directory, "ours") }),
  bare: await build({ directory: join(directory, "bare"), entry: "bench/bare.worker.ts" }),
});

/** As `npm start` runs it, without limits. */
export const startTarget = (worker: ServedFiles, databaseUrl: string): Promise<Target> =>
  startService({ build: worker, databaseUrl, vars: { RATE_LIMITS: "off" }, keepsLogs: false });
