import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { holdsIpv4 } from "#domain/ip-address.ts";
import { databaseBinding } from "#env.ts";
import type { BuildInfo } from "../runtime/scrape.ts";
import { release } from "../scripts/build/release.ts";
import type { ServedFiles } from "../scripts/build/served-files.ts";
import { authority } from "../scripts/service/ports.ts";
import type { RuntimeCommand, RuntimeSettings } from "../scripts/service/runtime.ts";
import type { WranglerConfig } from "../scripts/wrangler.ts";

/** The path of the binary itself, because the package's command would be an additional process. */
const { default: binary, version: workerdVersion } = createRequire(import.meta.url)("workerd") as {
  readonly default: string;
  readonly version: string;
};

export async function workerdCommand(settings: RuntimeSettings): Promise<RuntimeCommand> {
  const configFile = join(settings.directory, "workerd.capnp");
  const config = await configText(settings);
  return { command: binary, args: ["serve", configFile, "--import-path=/"], configFile, config, environment: {} };
}

/** The schema is https://github.com/cloudflare/workerd/blob/main/src/workerd/server/workerd.capnp */
async function configText(settings: RuntimeSettings): Promise<string> {
  const { build, host, port, databaseUrl, shards = [], metricsPort, mailboxPort, wrangler, objects } = settings;
  const services = [
    `(name = "main", worker = .main)`,
    `(name = "objects", disk = (path = ${quoted(objects)}, writable = true))`,
    databaseService("database", databaseUrl),
    ...shards.map((each) => databaseService(databaseBinding(each.shard), each.databaseUrl)),
    `(name = "mailer", network = (allow = ["public", "private", "local"], tlsOptions = (trustBrowserCas = true)))`,
    `(name = "oidc", network = (allow = ["public", "private", "local"], tlsOptions = (trustBrowserCas = true)))`,
    `(name = "webhooks", network = (${webhookRanges(settings.vars)}, tlsOptions = (trustBrowserCas = true)))`,
    `(name = "hasher", external = (address = "127.0.0.1:${settings.hasherPort}", http = ()))`,
    ...(mailboxPort === undefined
      ? []
      : [`(name = "mailbox", external = (address = "127.0.0.1:${mailboxPort}", http = ()))`]),
    `(name = "files", disk = (path = ${quoted(build.publicDirectory)}))`,
  ];
  const sockets = [
    `(name = "http", address = ${quoted(authority(host, port))}, http = (), service = "main")`,
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
  bindings = ${list(bindingsOf(settings))},
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

/** The key from which object ids are derived. The development server uses the same key. */
const keyOf = ({ name }: WranglerConfig, className: string): string => `${name}-${className}`;

const quoted = (value: unknown): string => JSON.stringify(value);
const list = (entries: readonly string[]): string => `[\n    ${entries.join(",\n    ")}\n  ]`;

async function modulesOf({ serverFile, workerDirectory }: ServedFiles): Promise<readonly string[]> {
  const files = (await readdir(workerDirectory)).filter((file) => file.endsWith(".js"));
  const modules = [["server.js", serverFile], ...files.map((file) => [file, join(workerDirectory, file)])];
  return modules.map(([name, file]) => `(name = ${quoted(name)}, esModule = embed ${quoted(file)})`);
}

function bindingsOf(settings: RuntimeSettings): readonly string[] {
  const { shards = [], secrets, mailboxPort, texts, assets, rateLimits } = settings;
  return [
    `(name = "LEDGER", durableObjectNamespace = "Ledger")`,
    `(name = "DELIVERER", durableObjectNamespace = "Deliverer")`,
    `(name = "WEBHOOK_SENDER", durableObjectNamespace = "WebhookSender")`,
    `(name = "REQUEST_LOG", durableObjectNamespace = "RequestLog")`,
    `(name = "WEBHOOK_NETWORK", service = "webhooks")`,
    `(name = "MAILER", service = "mailer")`,
    `(name = "OIDC_NETWORK", service = "oidc")`,
    ...Object.entries(texts).map(([name, value]) => `(name = ${quoted(name)}, text = ${quoted(value)})`),
    ...Object.keys(secrets).map((name) => `(name = ${quoted(name)}, fromEnvironment = ${quoted(name)})`),
    `(name = "FILES", service = "files")`,
    `(name = "HASHER", service = "hasher")`,
    ...(mailboxPort === undefined ? [] : [`(name = "MAILBOX", service = "mailbox")`]),
    ...shards.map(({ shard }) => databaseBinding(shard)).map((name) => `(name = "${name}", service = "${name}")`),
    `(name = "STATIC", json = ${quoted(quoted(assets))})`,
    `(name = "LIMITS", json = ${quoted(quoted(rateLimits))})`,
    `(name = "BUILD", json = ${quoted(quoted(buildInfo()))})`,
  ];
}

/**
 * The address ranges that webhooks may reach, in workerd's format. workerd checks them when it connects, regardless of
 * the host name. An allowed range that is narrower than a denied range takes precedence.
 */
function webhookRanges({ WEBHOOK_ALLOW: text = "" }: Readonly<Record<string, string>>): string {
  const allowed = text.split(",").map((range) => range.trim());
  const ranges = (all: readonly string[]) => list(all.filter(Boolean).map(quoted));
  return `allow = ${ranges(["public", ...allowed])}, deny = ${ranges(holdsIpv4.filter((each) => !allowed.includes(each)))}`;
}

const localSocket = (port: number): string =>
  `(name = "local", address = "127.0.0.1:${port}", http = (), service = (name = "main", entrypoint = "local"))`;

const buildInfo = (): BuildInfo => ({ version: release, runtime: `workerd ${workerdVersion}`, startedAt: Date.now() });

/** The compatibility flags, without those that the compatibility date implies. workerd would warn about these. */
const flagsOf = ({ compatibility_date: date, compatibility_flags: flags }: WranglerConfig): readonly string[] =>
  flags.filter((flag) => !(flag === "nodejs_compat" && date >= "2026-08-04"));
