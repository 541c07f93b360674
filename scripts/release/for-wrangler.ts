import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { root } from "../root.ts";
import { listed } from "../service/secrets.ts";
import { builtBefore, readWranglerConfig } from "../wrangler.ts";

// wrangler runs this before `dev` and `deploy`, as [build] in wrangler.toml specifies.

const { [builtBefore]: isBuilt, WRANGLER_COMMAND: command = "" } = process.env;
if (!isBuilt) {
  const { build } = await import("../build/build.ts");
  await build();
  console.log(await missing(command === "dev"));
}

async function missing(isDevelopment: boolean): Promise<string> {
  const { secrets } = await readWranglerConfig();
  const values = { ...(isDevelopment && fileValues()), ...process.env };
  const lacking = ["DATABASE_URL", ...secrets.required].filter((name) => !values[name]);
  if (lacking.length === 0) return "Every secret is set.";
  return isDevelopment
    ? `Missing, in .dev.vars or the environment: ${listed(lacking)}. npm start runs the service without any of them.`
    : `wrangler deploy alone sends none of ${listed(lacking)}: npm run deploy does, and applies the migrations.`;
}

function fileValues(): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(join(root, ".dev.vars"), "utf8"));
  } catch {
    return {};
  }
}
