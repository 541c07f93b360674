import { closeSync, openSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startChild } from "../scripts/child.ts";
import { freePort } from "../scripts/ports.ts";
import type { BuiltWorker } from "../test/support/worker-options.ts";

export interface Workerd {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const fromMiniflare = createRequire(createRequire(import.meta.url).resolve("miniflare"));
/** The binary itself: its package's command would be one process more. */
const { default: binary } = fromMiniflare("workerd") as { readonly default: string };

/** A built Worker under `workerd serve`, without anything in front of it. */
export async function startWorkerd(
  worker: BuiltWorker,
  vars: Readonly<Record<string, string>>,
  directory: string,
): Promise<Workerd> {
  const port = await freePort();
  await mkdir(join(directory, "objects"), { recursive: true });
  const config = join(directory, "config.capnp");
  await writeFile(config, configOf(worker, vars, join(directory, "objects"), port));
  const log = openSync(join(directory, "workerd.log"), "a");
  const child = await startChild(binary, ["serve", config, "--import-path=/"], {
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(`${url}/healthz`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer !== undefined) break;
    if (tries > 200 || !child.isRunning) {
      await child.kill();
      throw new Error(`workerd did not start, see ${join(directory, "workerd.log")}`);
    }
    await delay(25);
  }
  return { url, pid: child.pid, stop: () => child.kill() };
}

/** https://github.com/cloudflare/workerd/blob/main/src/workerd/server/workerd.capnp */
function configOf(
  { directory, modules, options }: BuiltWorker,
  vars: Readonly<Record<string, string>>,
  objects: string,
  port: number,
): string {
  const text = JSON.stringify;
  const classes = Object.keys(options.durableObjects ?? {}).length > 0;
  const bindings = [
    ...Object.entries({ ...options.bindings, ...vars }).map(
      ([name, value]) => `(name = ${text(name)}, text = ${text(value)})`,
    ),
    // Never called where the limits are off, but they must be there.
    ...Object.keys(options.ratelimits ?? {}).map((name) => `(name = ${text(name)}, service = "nothing")`),
    ...(classes ? [`(name = "LEDGER", durableObjectNamespace = "Ledger")`] : []),
  ];
  const durable = `
  durableObjectNamespaces = [(className = "Ledger", uniqueKey = "ledger", enableSql = true)],
  durableObjectStorage = (localDisk = "objects"),`;
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "nothing", worker = .nothing),
    (name = "network", network = (allow = ["private", "public"])),
    (name = "objects", disk = (path = ${text(objects)}, writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [${modules.map((file) => `(name = ${text(file)}, esModule = embed ${text(join(directory, file))})`).join(",\n    ")}],
  compatibilityDate = ${text(options.compatibilityDate)},
  compatibilityFlags = ${text(options.compatibilityFlags ?? [])},
  bindings = [${bindings.join(",\n    ")}],
  globalOutbound = "network",${classes ? durable : ""}
);
const nothing :Workerd.Worker = (
  modules = [(name = "nothing.js", esModule = "export default { fetch: () => new Response(null, { status: 404 }) }")],
  compatibilityDate = ${text(options.compatibilityDate)},
);
`;
}
