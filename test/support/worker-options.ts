import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { V4WorkerOptionsShape } from "miniflare";
import type { Build } from "../../scripts/build.ts";
import { root } from "../../scripts/root.ts";

/** A built Worker and what wrangler makes of wrangler.toml for the local runtime; plain data. */
export interface BuiltWorker {
  readonly directory: string;
  /** File names in the directory, the entry first. */
  readonly modules: readonly string[];
  readonly options: V4WorkerOptionsShape;
}

export function readBuiltWorker({ workerDirectory, publicDirectory }: Build): BuiltWorker {
  const files = readdirSync(workerDirectory).filter((file) => file.endsWith(".js") && file !== "worker.js");
  // Loaded here and not above: wrangler is a second's worth of code.
  process.env.WRANGLER_LOG = "none";
  const wrangler = createRequire(import.meta.url)("wrangler") as typeof import("wrangler");
  const config = wrangler.unstable_readConfig({ config: join(root, "wrangler.toml") });
  const { workerOptions } = wrangler.unstable_getMiniflareWorkerOptions(config);
  const { modulesRules: _, ...options } = JSON.parse(JSON.stringify(workerOptions));
  options.assets.directory = publicDirectory;
  // wrangler.toml alone: wrangler mixes in .dev.vars and the environment, and tests name every secret themselves.
  options.bindings = config.vars;
  return { directory: workerDirectory, modules: ["worker.js", ...files], options };
}
