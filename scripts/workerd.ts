import { randomBytes } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { DiskReport } from "../runtime/disk.ts";
import type { BuildInfo } from "../runtime/scrape.ts";
import { readAssets } from "./assets.ts";
import type { Child } from "./child.ts";
import { type ChildLog, startLogged } from "./child-log.ts";
import { release } from "./release.ts";
import type { ServedFiles } from "./served-files.ts";
import { readWranglerConfig, type WranglerConfig } from "./wrangler-config.ts";

export interface WorkerdOptions extends Pick<ServeOptions, "directory" | "log"> {
  readonly build: ServedFiles;
  readonly host: string;
  readonly port: number;
  /** The address of the database, which is all that the Worker can reach. */
  readonly databaseUrl: string;
  readonly vars: Readonly<Record<string, string>>;
  /** Over the limits of wrangler.toml, by their bindings: calls a minute. */
  readonly limits?: Readonly<Record<string, number>>;
  /** Handed over in the environment: neither the configuration nor the command line has them. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Of 127.0.0.1, for `/metrics`. Default: not served. */
  readonly metricsPort?: number | undefined;
}

export interface Workerd extends Child {
  /** Tells the Worker of free disk space. Does nothing without `metricsPort`; rejects while the Worker isn't listening. */
  reportDisk(report: DiskReport): Promise<void>;
}

/** Starts the Worker on the runtime that Cloudflare runs it on. */
export async function startWorkerd(options: WorkerdOptions): Promise<Workerd> {
  const { directory, log, metricsPort } = options;
  const token = randomBytes(32).toString("base64url");
  const secrets = { ...options.secrets, DISK_TOKEN: token };
  const child = await serveConfig(await configOf({ ...options, secrets }), { directory, env: secrets, log });
  const reportDisk = async (report: DiskReport) => {
    if (metricsPort === undefined) return;
    const answer = await fetch(`http://127.0.0.1:${metricsPort}/disk`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(report),
      signal: AbortSignal.timeout(reportTimeoutMs),
    });
    if (!answer.ok) throw new Error(`the report of the disk was answered with ${answer.status}`);
  };
  return Object.assign(child, { reportDisk });
}

const reportTimeoutMs = 2_000;

/** https://github.com/cloudflare/workerd/blob/main/src/workerd/server/workerd.capnp */
interface WorkerdConfig {
  /** Host and port. */
  readonly address: string;
  /** By their names, the entry first; files as absolute paths. */
  readonly modules: readonly (readonly [name: string, file: string])[];
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  /** Beside the Worker's own, in Cap'n Proto. */
  readonly sockets?: readonly string[];
  /** Beside the Worker and its objects' storage, in Cap'n Proto. */
  readonly services: readonly string[];
  /** Beside the Ledger, in Cap'n Proto. */
  readonly bindings: readonly string[];
  /** The service that the Worker's own requests go to. */
  readonly globalOutbound: string;
  /** Ids of objects are derived from it. */
  readonly ledgerKey: string;
}

interface ServeOptions {
  /** The configuration and what the objects keep. */
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: ChildLog;
}

/** The binary itself: its package's command would be one process more. */
const { default: binary, version: workerdVersion } = createRequire(import.meta.url)("workerd") as {
  readonly default: string;
  readonly version: string;
};

/** Runs `workerd serve`. */
async function serveConfig(config: WorkerdConfig, { directory, env, log }: ServeOptions): Promise<Child> {
  const objects = join(directory, "objects");
  await mkdir(objects, { recursive: true });
  const file = join(directory, "workerd.capnp");
  await writeFile(file, textOf(config, objects), { mode: 0o600 });
  return startLogged(binary, ["serve", file, "--import-path=/"], log, { env });
}

/** A value in Cap'n Proto. */
const quoted = (value: unknown): string => JSON.stringify(value);
const textBinding = ([name, value]: readonly [name: string, value: unknown]): string =>
  `(name = ${quoted(name)}, text = ${quoted(value)})`;

function textOf(config: WorkerdConfig, objects: string): string {
  const modules = config.modules.map(([name, file]) => `(name = ${quoted(name)}, esModule = embed ${quoted(file)})`);
  const list = (entries: readonly string[]) => `[\n    ${entries.join(",\n    ")}\n  ]`;
  const services = [
    `(name = "main", worker = .main)`,
    `(name = "objects", disk = (path = ${quoted(objects)}, writable = true))`,
    ...config.services,
  ];
  const sockets = [
    `(name = "http", address = ${quoted(config.address)}, http = (), service = "main")`,
    ...(config.sockets ?? []),
  ];
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = ${list(services)},
  sockets = ${list(sockets)},
);
const main :Workerd.Worker = (
  modules = ${list(modules)},
  compatibilityDate = ${quoted(config.compatibilityDate)},
  compatibilityFlags = ${quoted(flagsOf(config))},
  bindings = ${list([`(name = "LEDGER", durableObjectNamespace = "Ledger")`, ...config.bindings])},
  globalOutbound = ${quoted(config.globalOutbound)},
  durableObjectNamespaces = [(className = "Ledger", uniqueKey = ${quoted(config.ledgerKey)}, enableSql = true, preventEviction = true)],
  durableObjectStorage = (localDisk = "objects"),
);
`;
}

const minuteSeconds = 60;

/** The limits of calls, and what the answers' headers say of them. */
function limitsOf({ ratelimits }: WranglerConfig, changed: Readonly<Record<string, number>>) {
  const unknown = Object.keys(changed).find((name) => ratelimits.every((bound) => bound.name !== name));
  if (unknown !== undefined) throw new Error(`wrangler.toml binds no ${unknown}`);
  const given = Object.entries(changed);
  return {
    limits: {
      ...Object.fromEntries(ratelimits.map(({ name, simple }) => [name, simple])),
      ...Object.fromEntries(given.map(([name, limit]) => [name, { limit, period: minuteSeconds }])),
    },
    told: Object.fromEntries(given.map(([name, limit]) => [`${name}_PER_MINUTE`, String(limit)])),
  };
}

const localSocket = (port: number): string =>
  `(name = "local", address = "127.0.0.1:${port}", http = (), service = (name = "main", entrypoint = "local"))`;

const buildInfo = (): BuildInfo => ({ version: release, workerd: workerdVersion, startedAt: Date.now() });

/** workerd warns of a flag that the date implies. */
const flagsOf = ({ compatibilityDate, compatibilityFlags }: WorkerdConfig): readonly string[] =>
  compatibilityFlags.filter((flag) => !(flag === "nodejs_compat" && compatibilityDate >= "2026-08-04"));

async function configOf(options: WorkerdOptions): Promise<WorkerdConfig> {
  const { build, host, port, databaseUrl, vars, secrets, metricsPort } = options;
  const wrangler = await readWranglerConfig();
  const { serverFile, workerDirectory, publicDirectory } = build;
  const modules = (await readdir(workerDirectory)).filter((file) => file.endsWith(".js"));
  const assets = await readAssets(publicDirectory, wrangler.assets.run_worker_first);
  const { limits, told } = limitsOf(wrangler, options.limits ?? {});
  const texts = { ...wrangler.vars, ...told, ADDRESS_FROM: "workerd", ...vars, DATABASE_URL: databaseUrl };
  const { hostname, port: databasePort } = new URL(databaseUrl);
  return {
    address: `${host}:${port}`,
    ...(metricsPort !== undefined && { sockets: [localSocket(metricsPort)] }),
    modules: [["server.js", serverFile], ...modules.map((file) => [file, join(workerDirectory, file)] as const)],
    compatibilityDate: wrangler.compatibility_date,
    compatibilityFlags: wrangler.compatibility_flags,
    services: [
      `(name = "database", external = (address = ${quoted(`${hostname}:${databasePort}`)}, http = ()))`,
      `(name = "files", disk = (path = ${quoted(publicDirectory)}))`,
    ],
    bindings: [
      ...Object.entries(texts).map(textBinding),
      ...Object.keys(secrets).map((name) => `(name = ${quoted(name)}, fromEnvironment = ${quoted(name)})`),
      `(name = "FILES", service = "files")`,
      `(name = "STATIC", json = ${quoted(quoted(assets))})`,
      `(name = "LIMITS", json = ${quoted(quoted(limits))})`,
      `(name = "BUILD", json = ${quoted(quoted(buildInfo()))})`,
    ],
    globalOutbound: "database",
    // The development server's objects have the same key.
    ledgerKey: `${wrangler.name}-Ledger`,
  };
}
