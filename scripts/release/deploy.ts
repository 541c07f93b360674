import { spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { mintProgramKey } from "#domain/program-key.ts";
import { home, idsPerRange } from "#domain/shard.ts";
import { shardVariables } from "#domain/shard-list.ts";
import { isSignUpMode, type SignUpMode, signUpModes } from "#domain/sign-up.ts";
import { build, judgeSize } from "../build/build.ts";
import { ExplainedError, readFlags } from "../command.ts";
import type { Databases, ShardDatabase } from "../database/databases.ts";
import { migrateAll, upToDate } from "../database/migrate-all.ts";
import {
  configuredDatabases,
  configuredShards,
  requireAllShards,
  requireNoMoves,
  tokensOf,
} from "../database/service-database.ts";
import { requireIdentities } from "../database/shards.ts";
import { root } from "../root.ts";
import { withNewestLast } from "../service/secrets.ts";
import { readSecretsFile, type SecretsFile, writeSecretsFile } from "../service/secrets-file.ts";
import { readWranglerConfig, wranglerConfig, wranglerEnvironment, wranglerMain } from "../wrangler.ts";
import { decideSecrets, type SecretsDecision } from "./deployment-secrets.ts";
import { mailHookOf, mailHookSecret } from "./mail-hook.ts";

// npm run deploy: to Cloudflare, with Turso as the database. docs/deployment.md describes it.
//   DATABASE_URL         libsql://… of the database; a variable of the Worker
//   DATABASE_AUTH_TOKEN  its token; a secret of the Worker
//   SHARDS               further shards, a line for each: docs/shards.md; a variable of the Worker
//   DATABASE_AUTH_TOKEN_<n>  the token of a shard's database, if it is another; a secret of the Worker
//   CLICK_KEYS, HASH_SECRET, AUTH_SECRET, DATA_KEYS  sent if set; else from the secrets file where Cloudflare lacks them
//   MAIL_HOOK            where mails are posted; a variable of the Worker
//   MAIL_HOOK_SECRET     signs them; a secret of the Worker, from the secrets file unless it is set
//   SIGN_UP              who may create an account: invited (default) or open
//   CLOUDFLARE_API_TOKEN, CLOUDFLARE_ACCOUNT_ID  or `npx wrangler login`

const usage =
  "Usage: npm run deploy -- [--dry-run] [--new-secrets | --rotate-click-keys] [--rollout-seconds <seconds>] [--secrets-file <file>] [--dist <folder>]";
const flags = readFlags(usage, {
  "dry-run": { type: "boolean", default: false },
  "new-secrets": { type: "boolean", default: false },
  "rotate-click-keys": { type: "boolean", default: false },
  /**
   * The time to wait until every location has the first upload, which verifies with the new key and still signs with
   * the old one.
   */
  "rollout-seconds": { type: "string", default: "60" },
  "secrets-file": { type: "string" },
  dist: { type: "string", default: "dist/deploy" },
});

try {
  await (flags["dry-run"] ? rehearse() : deploy());
} catch (error) {
  console.error(error instanceof ExplainedError ? error.message : error);
  process.exitCode = 1;
}

async function rehearse(): Promise<void> {
  const databases = configuredDatabases(process.env.DATABASE_URL || "libsql://dry-run.invalid", process.env);
  const files = await buildWithin();
  const { name: worker } = await readWranglerConfig();
  await wrangler(["deploy", ...files, "--dry-run", ...variables(databases[0].url, worker)]);
  console.log("Dry run: built and checked, nothing was sent.");
}

async function deploy(): Promise<void> {
  const { DATABASE_URL: url, DATABASE_AUTH_TOKEN: authToken } = process.env;
  if (!url || !authToken) {
    throw new ExplainedError(
      "Set DATABASE_URL (libsql://…) and DATABASE_AUTH_TOKEN to those of the Turso database: `turso db show --url <name>` and `turso db tokens create <name>` tell them.",
    );
  }
  const databases = configuredDatabases(url, process.env);
  requireHttps(databases);
  if (flags["new-secrets"] && flags["rotate-click-keys"])
    throw new ExplainedError("--new-secrets and --rotate-click-keys exclude each other.");
  const { name: worker } = await readWranglerConfig();
  const vars = variables(url, worker);
  const file = await readSecretsFile(flags["secrets-file"] ?? defaultSecretsFile(worker));
  const existing = await existingSecrets();
  const secrets = decideSecrets({
    worker,
    databaseUrl: url,
    environment: process.env,
    file,
    existing,
    makesMissing: flags["new-secrets"],
    rotatesClickKeys: flags["rotate-click-keys"],
  });

  const mailSecret = mailHookSecret({ environment: process.env, file, existing });

  const files = await buildWithin();
  await requireAllShards(databases);
  await requireNoMoves(databases);
  const applied = await migrateAll(databases);
  console.log(applied.length === 0 ? upToDate(databases) : `Migrations applied: ${applied.join(", ")}`);
  await requireIdentities(databases, configuredShards(process.env));
  await keepSecrets(secrets, file);

  const outputFile = join(resolve(root, flags.dist), "wrangler-output.jsonl");
  const upload = async (sent: Readonly<Record<string, string>>) => {
    await rm(outputFile, { force: true });
    // Secrets are sent in one upload with the code, through a pipe, so an interrupted run leaves nothing behind.
    await wrangler(["deploy", ...files, ...vars, "--secrets-file", "/dev/stdin"], {
      env: { WRANGLER_OUTPUT_FILE_PATH: outputFile },
      input: JSON.stringify({ ...tokensOf(databases, process.env), ...mailSecret, ...sent }),
    });
    const address = await deployedAddress(outputFile);
    await placeLedgers(address, databases);
    return address;
  };
  const { CLICK_KEYS: ring } = secrets.sent;
  if (flags["rotate-click-keys"] && ring !== undefined) {
    // A click id must not be signed with a key that some location can't verify yet.
    await upload({ ...secrets.sent, CLICK_KEYS: withNewestLast(ring) });
    console.log(`Waiting ${flags["rollout-seconds"]} s, until every location knows the new key …`);
    await delay(Number(flags["rollout-seconds"]) * 1_000);
  }
  const address = await upload(secrets.sent);
  // Imported late, because its database layer takes half a second to load, which a refused run needn't wait for.
  const { inviteFirstOwner } = await import("../operate/invite-owner.ts");
  await inviteFirstOwner({ url, authToken }, address);
}

function requireHttps(databases: Databases): void {
  for (const { shard, url } of databases) {
    if (/^(libsql|https):\/\//.test(url)) continue;
    const name = shard === home ? "DATABASE_URL" : `The address of shard ${shard}`;
    throw new ExplainedError(`${name} is ${url}: it begins with libsql:// or https://.`);
  }
}

function variables(databaseUrl: string, worker: string): string[] {
  const shards = configuredShards(process.env);
  const values = {
    WORKER_NAME: worker,
    DATABASE_URL: databaseUrl,
    ADDRESS_FROM: "cloudflare",
    SIGN_UP: signUpMode(),
    MAIL_HOOK: mailHookOf(process.env),
    ...(shards.length > 0 && shardVariables(shards)),
  };
  return Object.entries(values).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
}

function defaultSecretsFile(worker: string): string {
  return join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "tributary", `${worker}-secrets.env`);
}

async function keepSecrets({ fromFile, fileText }: SecretsDecision, file: SecretsFile): Promise<void> {
  if (fromFile.length > 0) console.log(`From ${file.path}: ${fromFile.join(", ")}`);
  if (fileText === undefined) return;
  await writeSecretsFile(file, fileText);
  console.log(`New secrets are in ${file.path}\nPut its contents into your vault: Cloudflare never shows them again.`);
}

async function existingSecrets(): Promise<ReadonlySet<string>> {
  const listed = await wrangler(["secret", "list", "--format", "json"], { stdout: "pipe" }).catch((error: unknown) => {
    const text = String(error);
    // A Worker that was never deployed has no secrets.
    if (/10007|does not exist|not found/i.test(text)) return "[]";
    throw new ExplainedError(
      `wrangler can't list the Worker's secrets. Is CLOUDFLARE_API_TOKEN set, or has npx wrangler login been run? It says:\n${text}`,
    );
  });
  return new Set((JSON.parse(listed) as { name: string }[]).map(({ name }) => name));
}

function signUpMode(): SignUpMode {
  const { SIGN_UP: mode = "invited" } = process.env;
  if (!isSignUpMode(mode)) throw new ExplainedError(`SIGN_UP is ${mode}: it is ${signUpModes.join(" or ")}.`);
  return mode;
}

async function buildWithin(): Promise<string[]> {
  const built = await build({ directory: resolve(root, flags.dist) });
  const { text, isTooBig } = judgeSize(built);
  if (isTooBig) throw new ExplainedError(text);
  console.log(text);
  return [join(built.workerDirectory, "worker.js"), "--assets", built.publicDirectory];
}

async function deployedAddress(outputFile: string): Promise<string> {
  const lines = (await readFile(outputFile, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  const entries = lines.map((line) => JSON.parse(line) as { type: string; targets?: string[] });
  const target = process.env.BASE_URL ?? entries.findLast(({ type }) => type === "deploy")?.targets?.[0];
  if (target === undefined)
    throw new ExplainedError("It is deployed, at an address that wrangler doesn't tell. Set BASE_URL to it.");
  return target.includes("://") ? target.replace(/\/+$/, "") : `https://${target}`;
}

/**
 * Creates the Ledgers near this machine. Cloudflare creates a Ledger near its first caller, so this sends a first call,
 * with an unknown key.
 */
async function placeLedgers(address: string, databases: Databases): Promise<void> {
  const ask = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(address + path, { headers, signal: AbortSignal.timeout(15_000) }).catch(() => undefined))?.status;
  const isPlaced = async ({ shard }: ShardDatabase) => {
    const key = mintProgramKey(shard * idsPerRange + 1, new Uint8Array(32));
    return (await ask("/api/v1/programs/me/readiness", { authorization: `Bearer ${key}` })) === 401;
  };
  let waited = `${address}/readyz does not say that it is ready`;
  for (let tries = 1; tries <= 20; tries += 1) {
    if ((await ask("/readyz")) === 200) {
      const placed = await Promise.all(databases.map(isPlaced));
      const missing = databases.find((_, i) => !placed[i]);
      if (missing === undefined) {
        console.log(`Ready: ${address}`);
        return;
      }
      if (missing.shard !== home) waited = `shard ${missing.shard} does not answer at ${address}`;
    }
    await delay(1_500);
  }
  throw new ExplainedError(
    `It is deployed, but ${waited}. A new address may take some minutes; npx wrangler tail shows its calls. Once it is ready, get the first owner's link, with the same DATABASE_URL and DATABASE_AUTH_TOKEN: BASE_URL=${address} npm run tributary -- invite-owner`,
  );
}

interface WranglerOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly stdout?: "inherit" | "pipe";
}

function wrangler(args: string[], { env, input, stdout = "inherit" }: WranglerOptions = {}): Promise<string> {
  const command = [process.execPath, wranglerMain(), ...args, ...wranglerConfig];
  // Passes the input through `cat`, because Node's own "pipe" is a socket that Linux can't open by name.
  const [program = "", ...rest] = input === undefined ? command : ["sh", "-c", 'cat | "$@"', "sh", ...command];
  return new Promise((resolvePromise, reject) => {
    const child = spawn(program, rest, {
      cwd: root,
      env: { ...process.env, ...wranglerEnvironment, ...env },
      stdio: [input === undefined ? "ignore" : "pipe", stdout, stdout === "pipe" ? "pipe" : "inherit"],
    });
    let output = "";
    let errors = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    // The command may end before it has read everything. Its exit code then explains why.
    child.stdin?.on("error", () => {}).end(input);
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolvePromise(output);
      else reject(new ExplainedError(`wrangler ${args[0]} failed (${code})\n${output}${errors}`.trim()));
    });
  });
}
