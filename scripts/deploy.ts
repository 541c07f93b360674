import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { mintProgramKey } from "../src/domain/program-key.ts";
import { build, judgeSize } from "./build.ts";
import { MigrationError, migrate } from "./migrate.ts";
import { root } from "./root.ts";
import { makeSecret } from "./secrets.ts";
import { wranglerConfig, wranglerEnvironment, wranglerMain } from "./wrangler.ts";

// npm run deploy: to Cloudflare, with Turso as the database.
//   DATABASE_URL         libsql://… of the database; a variable of the Worker
//   DATABASE_AUTH_TOKEN  its token; a secret of the Worker
//   CLICK_KEYS, HASH_SECRET, AUTH_SECRET  kept by Cloudflare once they are there; from the environment where they are set in it
//   CLOUDFLARE_API_TOKEN, CLOUDFLARE_ACCOUNT_ID  or `npx wrangler login`
// `-- --new-secrets` makes the ones that are missing, `-- --dry-run` does all that needs no account.

class DeployError extends Error {}

const { values: flags } = parseArgs({
  options: {
    "dry-run": { type: "boolean", default: false },
    "new-secrets": { type: "boolean", default: false },
    /** Where to build. */
    dist: { type: "string", default: "dist/deploy" },
  },
});

try {
  await (flags["dry-run"] ? rehearse() : deploy());
} catch (error) {
  console.error(error instanceof DeployError || error instanceof MigrationError ? error.message : error);
  process.exitCode = 1;
}

async function rehearse(): Promise<void> {
  const { DATABASE_URL: url = "libsql://dry-run.invalid" } = process.env;
  const files = await buildWithin();
  await wrangler(["deploy", ...files, "--dry-run", "--var", `DATABASE_URL:${url}`]);
  console.log("Dry run: built and checked, nothing was sent.");
}

async function deploy(): Promise<void> {
  const { DATABASE_URL: url, DATABASE_AUTH_TOKEN: authToken } = process.env;
  if (!url || !authToken) {
    throw new DeployError(
      "Set DATABASE_URL (libsql://…) and DATABASE_AUTH_TOKEN to those of the Turso database: `turso db show --url <name>` and `turso db tokens create <name>` tell them.",
    );
  }
  if (!/^(libsql|https):\/\//.test(url))
    throw new DeployError(`DATABASE_URL is ${url}: it begins with libsql:// or https://.`);
  const secrets = { DATABASE_AUTH_TOKEN: authToken, ...(await secretsToSend()) };

  const files = await buildWithin();
  const applied = await migrate({ url, authToken });
  console.log(applied.length === 0 ? "The database is up to date." : `Migrations applied: ${applied.join(", ")}`);

  const directory = await mkdtemp(join(tmpdir(), "tributary-deploy-"));
  try {
    const secretsFile = join(directory, "secrets.json");
    const outputFile = join(directory, "output.jsonl");
    await writeFile(secretsFile, JSON.stringify(secrets), { mode: 0o600 });
    await wrangler(["deploy", ...files, "--var", `DATABASE_URL:${url}`, "--secrets-file", secretsFile], {
      WRANGLER_OUTPUT_FILE_PATH: outputFile,
    });
    await placeLedger(await deployedAddress(outputFile));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** What Cloudflare doesn't have, and what the environment names anew. */
async function secretsToSend(): Promise<Record<string, string>> {
  const listed = await wrangler(["secret", "list", "--format", "json"], {}, "pipe").catch((error: unknown) => {
    const text = String(error);
    // A Worker that was never deployed has none.
    if (/10007|does not exist|not found/i.test(text)) return "[]";
    throw new DeployError(`wrangler can't list the Worker's secrets, see above. Is CLOUDFLARE_API_TOKEN set?\n${text}`);
  });
  const existing = new Set((JSON.parse(listed) as { name: string }[]).map(({ name }) => name));
  const sent: Record<string, string> = {};
  const missing: string[] = [];
  for (const name of ["CLICK_KEYS", "HASH_SECRET", "AUTH_SECRET"] as const) {
    const given = process.env[name];
    if (given) sent[name] = given;
    else if (existing.has(name)) continue;
    else if (flags["new-secrets"]) sent[name] = makeSecret[name]();
    else missing.push(name);
  }
  if (missing.length > 0) {
    throw new DeployError(
      `The Worker has no ${missing.join(" and ")}. They sign click ids and sessions and key the digests, and are kept as long as the data. On the first deployment, make them: npm run deploy -- --new-secrets`,
    );
  }
  return sent;
}

async function buildWithin(): Promise<string[]> {
  const built = await build({ directory: resolve(root, flags.dist) });
  const { text, isTooBig } = judgeSize(built);
  if (isTooBig) throw new DeployError(text);
  console.log(text);
  return [join(built.workerDirectory, "worker.js"), "--assets", built.publicDirectory];
}

async function deployedAddress(outputFile: string): Promise<string> {
  const lines = (await readFile(outputFile, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  const entries = lines.map((line) => JSON.parse(line) as { type: string; targets?: string[] });
  const target = process.env.BASE_URL ?? entries.findLast(({ type }) => type === "deploy")?.targets?.[0];
  if (target === undefined)
    throw new DeployError("It is deployed, at an address that wrangler doesn't tell. Set BASE_URL to it.");
  return target.includes("://") ? target.replace(/\/+$/, "") : `https://${target}`;
}

/** A Ledger is made near its first call: that one is from here, with a key that nobody was given. */
async function placeLedger(address: string): Promise<void> {
  const nobodysKey = mintProgramKey(1, new Uint8Array(32));
  const ask = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(address + path, { headers, signal: AbortSignal.timeout(15_000) }).catch(() => undefined))?.status;
  for (let tries = 1; tries <= 20; tries += 1) {
    const ready = await ask("/readyz");
    if (ready === 200) {
      const ledger = await ask("/api/v1/programs/me/readiness", { authorization: `Bearer ${nobodysKey}` });
      if (ledger === 401) {
        console.log(`Ready: ${address}`);
        return;
      }
    }
    await delay(1_500);
  }
  throw new DeployError(`It is deployed, but ${address}/readyz does not say that it is ready. See: npx wrangler tail`);
}

/** Runs wrangler; resolves with its standard output where that is piped. */
function wrangler(
  args: string[],
  env: Record<string, string> = {},
  stdout: "inherit" | "pipe" = "inherit",
): Promise<string> {
  return new Promise((resolvePromise, reject) => {
    const child = spawn(process.execPath, [wranglerMain(), ...args, ...wranglerConfig], {
      cwd: root,
      env: { ...process.env, ...wranglerEnvironment, ...env },
      stdio: ["ignore", stdout, stdout === "pipe" ? "pipe" : "inherit"],
    });
    let output = "";
    let errors = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolvePromise(output);
      else reject(new DeployError(`wrangler ${args[0]} failed (${code})\n${output}${errors}`.trim()));
    });
  });
}
