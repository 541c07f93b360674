import { randomBytes } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { holdsIpv4 } from "#domain/ip-address.ts";
import type { ClockReport } from "#domain/machine-clock.ts";
import { type ShardAddress, shardVariables } from "#domain/shard-list.ts";
import { databaseBinding } from "#env.ts";
import type { deriveKey } from "#http/derive-key.ts";
import type { DiskReport } from "../../runtime/disk.ts";
import type { BuildInfo } from "../../runtime/scrape.ts";
import { release } from "../build/release.ts";
import type { ServedFiles } from "../build/served-files.ts";
import { readWranglerConfig, type WranglerConfig } from "../wrangler.ts";
import { readAssets } from "./assets.ts";
import type { Child } from "./child.ts";
import { type ChildLog, startLogged } from "./child.ts";
import { type HasherServer, startHasher } from "./hasher.ts";

export interface WorkerdOptions {
  /** Of the configuration and of the objects' storage. */
  readonly directory: string;
  readonly log: ChildLog;
  readonly build: ServedFiles;
  readonly host: string;
  readonly port: number;
  /** With those of `shards`, the only addresses that the Worker can reach. */
  readonly databaseUrl: string;
  /** Besides home. */
  readonly shards?: readonly ShardAddress[] | undefined;
  readonly vars: Readonly<Record<string, string>>;
  /** Calls a minute by binding, in place of the limits in wrangler.toml. */
  readonly limits?: Readonly<Record<string, number>>;
  /** Passed in the environment, so that neither the configuration nor the command line has them. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Of 127.0.0.1, for `/metrics`. Default: not served. */
  readonly metricsPort?: number | undefined;
  /** Of 127.0.0.1, of the mails that `/app/mail` shows. Default: not served. */
  readonly mailboxPort?: number | undefined;
  /** How passwords are hashed. Default: as the hash that is stored says. */
  readonly deriveKey?: typeof deriveKey;
}

export interface Workerd extends Child {
  /** These report to the Worker. They do nothing without `metricsPort`, and reject while the Worker isn't listening. */
  reportDisk(report: DiskReport): Promise<void>;
  reportClock(report: ClockReport): Promise<void>;
}

/** The binary itself: the package's command would be one more process. */
const { default: binary, version: workerdVersion } = createRequire(import.meta.url)("workerd") as {
  readonly default: string;
  readonly version: string;
};

export async function startWorkerd(options: WorkerdOptions): Promise<Workerd> {
  const { directory, log, metricsPort } = options;
  const token = randomBytes(32).toString("base64url");
  const hasher = await startHasher(options.deriveKey);
  const secrets = { ...options.secrets, REPORT_TOKEN: token, HASHER_TOKEN: hasher.token };
  const objects = join(directory, "objects");
  await mkdir(objects, { recursive: true });
  const config = join(directory, "workerd.capnp");
  await writeFile(config, await configText({ ...options, secrets }, objects, hasher), { mode: 0o600 });
  const child = await startLogged(binary, ["serve", config, "--import-path=/"], log, { env: secrets });
  void child.exited.then(hasher.close);
  const reportTo = (path: string) => async (report: DiskReport | ClockReport) => {
    if (metricsPort === undefined) return;
    const answer = await fetch(`http://127.0.0.1:${metricsPort}${path}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(report),
      signal: AbortSignal.timeout(reportTimeoutMs),
    });
    if (!answer.ok) throw new Error(`the report to ${path} was answered with ${answer.status}`);
  };
  return Object.assign(child, { reportDisk: reportTo("/disk"), reportClock: reportTo("/clock") });
}

const reportTimeoutMs = 2_000;

/** https://github.com/cloudflare/workerd/blob/main/src/workerd/server/workerd.capnp */
async function configText(options: WorkerdOptions, objects: string, hasher: HasherServer): Promise<string> {
  const { build, host, port, databaseUrl, shards = [], metricsPort, mailboxPort } = options;
  const wrangler = await readWranglerConfig();
  const services = [
    `(name = "main", worker = .main)`,
    `(name = "objects", disk = (path = ${quoted(objects)}, writable = true))`,
    databaseService("database", databaseUrl),
    ...shards.map((each) => databaseService(databaseBinding(each.shard), each.databaseUrl)),
    `(name = "mailer", network = (allow = ["public", "private", "local"], tlsOptions = (trustBrowserCas = true)))`,
    `(name = "webhooks", network = (${webhookRanges(options.vars)}, tlsOptions = (trustBrowserCas = true)))`,
    `(name = "hasher", external = (address = "127.0.0.1:${hasher.port}", http = ()))`,
    ...(mailboxPort === undefined
      ? []
      : [`(name = "mailbox", external = (address = "127.0.0.1:${mailboxPort}", http = ()))`]),
    `(name = "files", disk = (path = ${quoted(build.publicDirectory)}))`,
  ];
  const sockets = [
    `(name = "http", address = ${quoted(`${host}:${port}`)}, http = (), service = "main")`,
    ...(metricsPort === undefined ? [] : [localSocket(metricsPort)]),
  ];
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = ${list(services)},
  sockets = ${list(sockets)},
);
const main :Workerd.Worker = (
  modules = ${list(await modulesOf(build))},
  compatibilityDate = ${quoted(wrangler.compatibility_date)},
  compatibilityFlags = ${quoted(flagsOf(wrangler))},
  bindings = ${list(await bindingsOf(options, wrangler))},
  globalOutbound = "database",
  durableObjectNamespaces = ${list([
    `(className = "Ledger", uniqueKey = ${quoted(keyOf(wrangler, "Ledger"))}, enableSql = true, preventEviction = true)`,
    `(className = "Deliverer", uniqueKey = ${quoted(keyOf(wrangler, "Deliverer"))}, enableSql = true)`,
    `(className = "WebhookSender", uniqueKey = ${quoted(keyOf(wrangler, "WebhookSender"))}, enableSql = true)`,
    `(className = "RequestLog", uniqueKey = ${quoted(keyOf(wrangler, "RequestLog"))}, enableSql = true)`,
  ])},
  durableObjectStorage = (localDisk = "objects"),
);
`;
}

function databaseService(name: string, url: string): string {
  const { hostname, port } = new URL(url);
  return `(name = ${quoted(name)}, external = (address = ${quoted(`${hostname}:${port}`)}, http = ()))`;
}

/** Object ids derive from it, so that it is the development server's as well. */
const keyOf = ({ name }: WranglerConfig, className: string): string => `${name}-${className}`;

const quoted = (value: unknown): string => JSON.stringify(value);
const list = (entries: readonly string[]): string => `[\n    ${entries.join(",\n    ")}\n  ]`;

async function modulesOf({ serverFile, workerDirectory }: ServedFiles): Promise<readonly string[]> {
  const files = (await readdir(workerDirectory)).filter((file) => file.endsWith(".js"));
  const modules = [["server.js", serverFile], ...files.map((file) => [file, join(workerDirectory, file)])];
  return modules.map(([name, file]) => `(name = ${quoted(name)}, esModule = embed ${quoted(file)})`);
}

async function bindingsOf(options: WorkerdOptions, wrangler: WranglerConfig): Promise<readonly string[]> {
  const { build, databaseUrl, shards = [], vars, secrets, mailboxPort } = options;
  const assets = await readAssets(build.publicDirectory, wrangler.assets.run_worker_first);
  const { limits, limitVars } = limitsOf(wrangler, options.limits ?? {});
  const texts = {
    ...wrangler.vars,
    WORKER_NAME: wrangler.name,
    ...limitVars,
    ADDRESS_FROM: "workerd",
    ...vars,
    DATABASE_URL: databaseUrl,
    ...shardVariables(shards),
  };
  return [
    `(name = "LEDGER", durableObjectNamespace = "Ledger")`,
    `(name = "DELIVERER", durableObjectNamespace = "Deliverer")`,
    `(name = "WEBHOOK_SENDER", durableObjectNamespace = "WebhookSender")`,
    `(name = "REQUEST_LOG", durableObjectNamespace = "RequestLog")`,
    `(name = "WEBHOOK_NETWORK", service = "webhooks")`,
    `(name = "MAILER", service = "mailer")`,
    ...Object.entries(texts).map(([name, value]) => `(name = ${quoted(name)}, text = ${quoted(value)})`),
    ...Object.keys(secrets).map((name) => `(name = ${quoted(name)}, fromEnvironment = ${quoted(name)})`),
    `(name = "FILES", service = "files")`,
    `(name = "HASHER", service = "hasher")`,
    ...(mailboxPort === undefined ? [] : [`(name = "MAILBOX", service = "mailbox")`]),
    ...shards.map(({ shard }) => databaseBinding(shard)).map((name) => `(name = "${name}", service = "${name}")`),
    `(name = "STATIC", json = ${quoted(quoted(assets))})`,
    `(name = "LIMITS", json = ${quoted(quoted(limits))})`,
    `(name = "BUILD", json = ${quoted(quoted(buildInfo()))})`,
  ];
}

const minuteSeconds = 60;

function limitsOf({ ratelimits }: WranglerConfig, changed: Readonly<Record<string, number>>) {
  const unknown = Object.keys(changed).find((name) => ratelimits.every((bound) => bound.name !== name));
  if (unknown !== undefined) throw new Error(`wrangler.toml binds no ${unknown}`);
  const given = Object.entries(changed);
  return {
    limits: {
      ...Object.fromEntries(ratelimits.map(({ name, simple }) => [name, simple])),
      ...Object.fromEntries(given.map(([name, limit]) => [name, { limit, period: minuteSeconds }])),
    },
    limitVars: Object.fromEntries(given.map(([name, limit]) => [`${name}_PER_MINUTE`, String(limit)])),
  };
}

/** Judged where a connection is made, whatever the name was. A narrower range that is allowed comes before a denied one. */
function webhookRanges({ WEBHOOK_ALLOW: text = "" }: Readonly<Record<string, string>>): string {
  const allowed = text.split(",").map((range) => range.trim());
  const ranges = (all: readonly string[]) => list(all.filter(Boolean).map(quoted));
  return `allow = ${ranges(["public", ...allowed])}, deny = ${ranges(holdsIpv4.filter((each) => !allowed.includes(each)))}`;
}

const localSocket = (port: number): string =>
  `(name = "local", address = "127.0.0.1:${port}", http = (), service = (name = "main", entrypoint = "local"))`;

const buildInfo = (): BuildInfo => ({ version: release, workerd: workerdVersion, startedAt: Date.now() });

/** workerd warns of a flag that the date implies. */
const flagsOf = ({ compatibility_date: date, compatibility_flags: flags }: WranglerConfig): readonly string[] =>
  flags.filter((flag) => !(flag === "nodejs_compat" && date >= "2026-08-04"));
