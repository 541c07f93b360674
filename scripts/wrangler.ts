import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";
import { root } from "./root.ts";

export const wranglerMain = (): string =>
  join(dirname(createRequire(import.meta.url).resolve("wrangler/package.json")), "bin/wrangler.js");

/** Passes our configuration file explicitly, because wrangler would look for one next to the script that it gets. */
export const wranglerConfig = ["--config", join(root, "wrangler.toml")] as const;

/** The variable that a command sets for wrangler if it has already built. Wrangler then doesn't build again. */
export const builtBefore = "TRIBUTARY_BUILT";

/**
 * The environment in which wrangler runs without prompts, telemetry, banner or build. Its debug log then doesn't
 * contain what it sends.
 */
export const wranglerEnvironment: NodeJS.ProcessEnv = {
  CI: "true",
  [builtBefore]: "1",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_LOG_SANITIZE: "true",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_SEND_METRICS: "false",
};

const schema = z.object({
  name: z.string().regex(/^[\w-]+$/),
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()),
  assets: z.object({ run_worker_first: z.array(z.string()) }),
  secrets: z.object({ required: z.array(z.string()) }),
  vars: z.record(z.string(), z.string()),
  ratelimits: z.array(z.object({ name: z.string(), simple: z.object({ limit: z.number(), period: z.number() }) })),
});

export type WranglerConfig = z.infer<typeof schema>;

export async function readWranglerConfig(): Promise<WranglerConfig> {
  return schema.parse(parse(await readFile(join(root, "wrangler.toml"), "utf8")));
}
