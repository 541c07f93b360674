import { join } from "node:path";
import { startService } from "../harness/service.ts";
import { build } from "../scripts/build/build.ts";
import type { ServedFiles } from "../scripts/build/served-files.ts";

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

/** Runs as in `npm start`, without rate limits. */
export const startTarget = (
  worker: ServedFiles,
  databaseUrl: string,
  vars: Readonly<Record<string, string>> = {},
): Promise<Target> =>
  startService({ build: worker, databaseUrl, vars: { RATE_LIMITS: "off", ...vars }, keepsLogs: false });
