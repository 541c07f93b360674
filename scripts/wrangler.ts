import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { root } from "./root.ts";

export const wranglerMain = (): string =>
  join(dirname(createRequire(import.meta.url).resolve("wrangler/package.json")), "bin/wrangler.js");

/** Otherwise wrangler looks for one next to the script that it is given. */
export const wranglerConfig = ["--config", join(root, "wrangler.toml")] as const;

/** No prompts, no telemetry, no banner; and the debug log leaves out what it sends. */
export const wranglerEnvironment: NodeJS.ProcessEnv = {
  CI: "true",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_LOG_SANITIZE: "true",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_SEND_METRICS: "false",
};
