import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { readAssets } from "./assets.ts";
import type { Build } from "./build.ts";
import { type Child, startChild } from "./child.ts";
import { readWranglerConfig, type WranglerConfig } from "./wrangler-config.ts";

export interface WorkerdOptions {
  readonly build: Pick<Build, "workerDirectory" | "serverFile" | "publicDirectory">;
  /** The configuration and what the objects keep. */
  readonly directory: string;
  readonly host: string;
  readonly port: number;
  /** The address of the database, which is all that the Worker can reach. */
  readonly databaseUrl: string;
  readonly vars: Readonly<Record<string, string>>;
  /** Handed over in the environment: neither the configuration nor the command line has them. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Standard output and standard error: a file descriptor. */
  readonly log: number;
}

/** The binary itself: its package's command would be one process more. */
const binary = (): string => (createRequire(import.meta.url)("workerd") as { readonly default: string }).default;

/** Starts the Worker on the runtime that Cloudflare runs it on. */
export async function startWorkerd(options: WorkerdOptions): Promise<Child> {
  const { directory, log, secrets } = options;
  await mkdir(join(directory, "objects"), { recursive: true });
  const config = join(directory, "workerd.capnp");
  await writeFile(config, await configOf(options), { mode: 0o600 });
  return startChild(binary(), ["serve", config, "--import-path=/"], {
    stdio: ["ignore", log, log],
    env: { ...secrets },
  });
}

const text = JSON.stringify;

/** https://github.com/cloudflare/workerd/blob/main/src/workerd/server/workerd.capnp */
async function configOf({ build, directory, host, port, databaseUrl, vars, secrets }: WorkerdOptions): Promise<string> {
  const wrangler = await readWranglerConfig();
  const { serverFile, workerDirectory, publicDirectory } = build;
  const modules = (await readdir(workerDirectory)).filter((file) => file.endsWith(".js"));
  const assets = await readAssets(publicDirectory, wrangler.assets.run_worker_first);
  const limits = Object.fromEntries(wrangler.ratelimits.map(({ name, simple }) => [name, simple]));
  const bindings = [
    ...Object.entries({ ...wrangler.vars, ADDRESS_FROM: "workerd", ...vars, DATABASE_URL: databaseUrl }).map(
      ([name, value]) => `(name = ${text(name)}, text = ${text(value)})`,
    ),
    ...Object.keys(secrets).map((name) => `(name = ${text(name)}, fromEnvironment = ${text(name)})`),
    `(name = "LEDGER", durableObjectNamespace = "Ledger")`,
    `(name = "FILES", service = "files")`,
    `(name = "STATIC", json = ${text(text(assets))})`,
    `(name = "LIMITS", json = ${text(text(limits))})`,
  ];
  const module = (name: string, file: string) => `(name = ${text(name)}, esModule = embed ${text(file)})`;
  const { hostname, port: databasePort } = new URL(databaseUrl);
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "database", external = (address = ${text(`${hostname}:${databasePort}`)}, http = ())),
    (name = "files", disk = (path = ${text(publicDirectory)})),
    (name = "objects", disk = (path = ${text(join(directory, "objects"))}, writable = true)),
  ],
  sockets = [(name = "http", address = ${text(`${host}:${port}`)}, http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [
    ${[module("server.js", serverFile), ...modules.map((file) => module(file, join(workerDirectory, file)))].join(",\n    ")}
  ],
  compatibilityDate = ${text(wrangler.compatibility_date)},
  compatibilityFlags = ${text(flagsOf(wrangler))},
  bindings = [
    ${bindings.join(",\n    ")}
  ],
  globalOutbound = "database",
  # The development server's objects have the same key.
  durableObjectNamespaces = [(className = "Ledger", uniqueKey = ${text(`${wrangler.name}-Ledger`)}, enableSql = true)],
  durableObjectStorage = (localDisk = "objects"),
);
`;
}

/** workerd warns of a flag that the date implies. */
const flagsOf = ({ compatibility_date: date, compatibility_flags: flags }: WranglerConfig): readonly string[] =>
  flags.filter((flag) => !(flag === "nodejs_compat" && date >= "2026-08-04"));
