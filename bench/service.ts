import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { useDocumentsOf } from "../harness/openapi.ts";
import { type ServiceOptions, startService } from "../harness/service.ts";
import { build, buildWorker } from "../scripts/build/build.ts";
import { type ServedFiles, servedFilesIn } from "../scripts/build/served-files.ts";
import { root } from "../scripts/root.ts";
import { triedBuild } from "./options.ts";

export interface Target {
  readonly url: string;
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

export interface Workers {
  readonly ours: ServedFiles;
  readonly bare: ServedFiles;
}

/** Builds the service and the Worker that stores nothing. The two differ only in the Worker's code. */
export async function buildWorkers(directory: string): Promise<Workers> {
  await mkdir(directory, { recursive: true });
  const ours =
    triedBuild === undefined
      ? await build({ directory: join(directory, "ours") })
      : servedFilesIn(resolve(root, triedBuild));
  useDocumentsOf(ours);
  const workerDirectory = join(directory, "bare");
  await buildWorker(workerDirectory, "bench/bare.worker.ts");
  return { ours, bare: { ...ours, workerDirectory } };
}

type Options = Pick<ServiceOptions, "shards" | "vars">;

/**
 * Starts a service without rate limits: with a database file in Node, as `npm start` does, and otherwise in workerd
 * with a database server.
 */
export const startTarget = (
  worker: ServedFiles,
  databaseUrl: string,
  { vars, ...options }: Options = {},
): Promise<Target> =>
  startService({
    ...options,
    build: worker,
    runtime: databaseUrl.startsWith("file:") ? "node" : "workerd",
    databaseUrl,
    vars: { RATE_LIMITS: "off", ...vars },
    keepsLogs: false,
  });
