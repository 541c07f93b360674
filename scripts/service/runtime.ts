import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClockReport } from "#domain/machine-clock.ts";
import { type ShardAddress, shardVariables } from "#domain/shard-list.ts";
import type { deriveKey } from "#http/derive-key.ts";
import type { Assets } from "../../runtime/assets.ts";
import type { DiskReport } from "../../runtime/disk.ts";
import type { RateLimitSettings } from "../../runtime/limits.ts";
import { localFetch } from "../../runtime/node/local-fetch.ts";
import type { ServedFiles } from "../build/served-files.ts";
import { readWranglerConfig, type WranglerConfig } from "../wrangler.ts";
import { readAssets } from "./assets.ts";
import { type Child, type ChildLog, startLogged } from "./child.ts";
import { startDesk } from "./desk.ts";
import { startHasher } from "./hasher.ts";
import { nodeCommand } from "./node.ts";
import { startWatched } from "./watched.ts";

export interface RuntimeOptions {
  /** Returns the command that runs the service. The default is `nodeCommand`. */
  readonly commandOf?: (settings: RuntimeSettings) => Promise<RuntimeCommand>;
  /** The folder of the configuration and of the objects' storage. */
  readonly directory: string;
  readonly log: ChildLog;
  readonly build: ServedFiles;
  readonly host: string;
  readonly port: number;
  /** The URL of the home database. It is a `file:` URL, unless `commandOf` needs another kind. */
  readonly databaseUrl: string;
  /** The other shards. */
  readonly shards?: readonly ShardAddress[] | undefined;
  readonly vars: Readonly<Record<string, string>>;
  /** Calls per minute by binding, which replace the limits in wrangler.toml. */
  readonly limits?: Readonly<Record<string, number>>;
  /**
   * Secrets that are passed as environment variables, so that neither the configuration nor the command line contains
   * them.
   */
  readonly secrets: Readonly<Record<string, string>>;
  /** More environment variables, in addition to those that the runtime needs. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** The port on 127.0.0.1 for `/metrics`. By default, metrics aren't served. */
  readonly metricsPort?: number | undefined;
  /** The port on 127.0.0.1 for the emails that `/app/mail` shows. By default, they aren't shown. */
  readonly mailboxPort?: number | undefined;
  /** The function that hashes passwords. The default derives the key as the stored hash specifies. */
  readonly deriveKey?: typeof deriveKey;
}

export interface RuntimeProcess extends Child {
  /**
   * These functions send reports to the Worker. Without `metricsPort` they do nothing. They reject while the Worker
   * isn't listening.
   */
  reportDisk(report: DiskReport): Promise<void>;
  reportClock(report: ClockReport): Promise<void>;
}

/** Starts the processes of a service. */
export interface PreparedRuntime {
  /** The tracking process, which runs all objects (Ledger, webhook and email senders). */
  start(): Promise<RuntimeProcess>;
  /**
   * The process for all other calls, which the tracking process forwards. Undefined if one process handles everything.
   */
  readonly startDesk: (() => Promise<Child>) | undefined;
  close(): void;
}

/** The bindings of the Worker, in any runtime. */
export interface RuntimeSettings extends RuntimeOptions {
  readonly wrangler: WranglerConfig;
  /** The folder of the objects' files. */
  readonly objects: string;
  readonly hasherPort: number;
  readonly texts: Readonly<Record<string, string>>;
  readonly assets: Assets;
  readonly rateLimits: Readonly<Record<string, RateLimitSettings>>;
}

export async function prepareRuntime(options: RuntimeOptions): Promise<PreparedRuntime> {
  const { log, metricsPort } = options;
  const token = randomBytes(32).toString("base64url");
  const hasher = await startHasher(options.deriveKey);
  const secrets = { ...options.secrets, REPORT_TOKEN: token, HASHER_TOKEN: hasher.token };
  const settings = { ...options, secrets, ...(await settingsOf(options, hasher.port)) };
  await mkdir(settings.objects, { recursive: true });
  const { command, args, desk, isWatched, configFile, config, environment } = await (options.commandOf ?? nodeCommand)(
    settings,
  );
  const startLedger = isWatched ? startWatched : startLogged;
  await writeFile(configFile, config, { mode: 0o600 });
  const env = { ...options.environment, ...environment, ...secrets };
  const reportTo = (path: string) => async (report: DiskReport | ClockReport) => {
    if (metricsPort === undefined) return;
    const answer = await localFetch(`http://127.0.0.1:${metricsPort}${path}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(report),
      signal: AbortSignal.timeout(reportTimeoutMs),
    });
    if (!answer.ok) throw new Error(`the report to ${path} was answered with ${answer.status}`);
  };
  return {
    start: async () =>
      Object.assign(await startLedger(command, args, log, { env }), {
        reportDisk: reportTo("/disk"),
        reportClock: reportTo("/clock"),
      }),
    startDesk: desk && (() => startDesk(command, desk, log, env)),
    close: hasher.close,
  };
}

const reportTimeoutMs = 2_000;

export interface RuntimeCommand {
  readonly command: string;
  readonly args: readonly string[];
  /**
   * The arguments of a second process. The first one then serves only tracking calls, the browser script, reports of
   * settled payout lines, readiness and health checks.
   */
  readonly desk?: readonly string[];
  /** True if a process that is stuck is killed. The process must return each message that it receives. */
  readonly isWatched?: boolean;
  readonly configFile: string;
  readonly config: string;
  readonly environment: Readonly<Record<string, string>>;
}

async function settingsOf(options: RuntimeOptions, hasherPort: number) {
  const { directory, build, databaseUrl, shards = [], vars } = options;
  const wrangler = await readWranglerConfig();
  const { rateLimits, limitVars } = limitsOf(wrangler, options.limits ?? {});
  const texts = {
    ...wrangler.vars,
    WORKER_NAME: wrangler.name,
    ...limitVars,
    ADDRESS_FROM: "peer",
    ...vars,
    DATABASE_URL: databaseUrl,
    ...shardVariables(shards),
  };
  const assets = await readAssets(build.publicDirectory, wrangler.assets.run_worker_first);
  return { wrangler, objects: join(directory, "objects"), hasherPort, texts, assets, rateLimits };
}

const minuteSeconds = 60;

function limitsOf({ ratelimits }: WranglerConfig, changed: Readonly<Record<string, number>>) {
  const unknown = Object.keys(changed).find((name) => ratelimits.every((bound) => bound.name !== name));
  if (unknown !== undefined) throw new Error(`wrangler.toml binds no ${unknown}`);
  const given = Object.entries(changed);
  return {
    rateLimits: {
      ...Object.fromEntries(ratelimits.map(({ name, simple }) => [name, simple])),
      ...Object.fromEntries(given.map(([name, limit]) => [name, { limit, period: minuteSeconds }])),
    },
    limitVars: Object.fromEntries(given.map(([name, limit]) => [`${name}_PER_MINUTE`, String(limit)])),
  };
}
