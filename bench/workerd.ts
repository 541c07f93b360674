import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../scripts/ports.ts";
import { quoted, serveConfig, textBinding, type WorkerdConfig } from "../scripts/workerd.ts";
import type { BuiltWorker } from "../test/support/worker-options.ts";

export interface Workerd {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** A built Worker under `workerd serve`, without anything in front of it. */
export async function startWorkerd(
  worker: BuiltWorker,
  vars: Readonly<Record<string, string>>,
  directory: string,
): Promise<Workerd> {
  const port = await freePort();
  const log = openSync(join(directory, "workerd.log"), "a");
  const child = await serveConfig(configOf(worker, vars, port), { directory, env: process.env, log });
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

function configOf(
  { directory, modules, options }: BuiltWorker,
  vars: Readonly<Record<string, string>>,
  port: number,
): WorkerdConfig {
  const { compatibilityDate = "", compatibilityFlags = [] } = options;
  // Never called where the limits are off, but they must be there.
  const limits = Object.keys(options.ratelimits ?? {}).map((name) => `(name = ${quoted(name)}, service = "nothing")`);
  const nothing = "export default { fetch: () => new Response(null, { status: 404 }) }";
  return {
    address: `127.0.0.1:${port}`,
    modules: modules.map((file) => [file, join(directory, file)]),
    compatibilityDate,
    compatibilityFlags,
    services: [
      `(name = "network", network = (allow = ["private", "public"]))`,
      `(name = "nothing", worker = (modules = [(name = "nothing.js", esModule = ${quoted(nothing)})], compatibilityDate = ${quoted(compatibilityDate)}))`,
    ],
    bindings: [...Object.entries({ ...options.bindings, ...vars }).map(textBinding), ...limits],
    globalOutbound: "network",
    ledgerKey: "ledger",
  };
}
