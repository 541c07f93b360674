import { existsSync, openSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isSignUpMode, signUpModes } from "#domain/sign-up.ts";
import { databaseFile } from "../backup/data-paths.ts";
import { type Built, type ServedFiles, sdkDist } from "../build/served-files.ts";
import { ExplainedError, explain, readFlags, shellWord } from "../command.ts";
import type { ShardDatabase } from "../database/databases.ts";
import { root } from "../root.ts";
import type { Demo } from "../sample/demo.ts";
import { buildApart } from "./build-apart.ts";
import { runApart } from "./child.ts";
import { type DataFolder, shown } from "./data-folder.ts";
import { describeShards, type LocalDatabases, shardCount } from "./local-databases.ts";
import { LocalService } from "./local-service.ts";
import { rotateLog } from "./logs.ts";
import { startMailbox } from "./mailbox.ts";
import { monitoringFrom } from "./monitoring.ts";
import { portInstead } from "./ports.ts";
import { runService } from "./run-service.ts";
import { ensureSecrets } from "./secrets.ts";

// npm start: runs the whole service on this machine. `--data <folder>` stores everything in another folder than .data,
// and `--no-sample` creates no sample program. TRIBUTARY_SHARDS=3 creates three shards (docs/shards.md).

const maxLogBytes = 10_000_000;
const rotateEveryMs = 5_000;
const graceMs = 2_000;

const values = readFlags("Usage: npm start -- [--data <folder>] [--no-sample]", {
  data: { type: "string" },
  "no-sample": { type: "boolean", default: false },
});
const isDefault = values.data === undefined;
const data = resolve(values.data ?? join(root, ".data"));
const devVars = isDefault ? join(root, ".dev.vars") : join(data, "dev.vars");
const workerLog = join(data, "worker.log");
const port = Number(process.env.PORT || 8787);
const host = "127.0.0.1";
const url = `http://${host}:${port}`;
/** The SDK's command by its path, so that it runs in any folder. */
const verifier = shellWord(join(root, "node_modules/.bin/tributary-sdk"));
const { MAIL_HOOK: mailHook = "" } = process.env;
/** The addresses of webhook receivers on this machine. */
const loopback = "127.0.0.0/8,::1/128";
const monitoring = orEnd(() => monitoringFrom(process.env, port));
const service = new LocalService({
  data,
  host,
  port,
  baseUrl: url,
  portAdvice: `PORT=${portInstead(port, monitoring.metricsPort)} npm start`,
  monitoring,
});

await runService(service, { npmScript: "start", graceMs, run, onStopping: () => say("\nStopping …") });

function orEnd<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    console.error(explain(error));
    process.exit(1);
  }
}

async function run(): Promise<void> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new ExplainedError(`PORT is ${process.env.PORT}, which is no port. Choose one from 1 to 65535.`);
  }
  const { SIGN_UP: signUp = "open" } = process.env;
  if (!isSignUpMode(signUp)) throw new ExplainedError(`SIGN_UP is ${signUp}: it is ${signUpModes.join(" or ")}.`);
  const count = shardCount(process.env.TRIBUTARY_SHARDS || "1");
  if (count === undefined) {
    throw new ExplainedError(
      `TRIBUTARY_SHARDS is ${process.env.TRIBUTARY_SHARDS}, which is no number of shards from 1 to 1000.`,
    );
  }
  const folder = await service.open();
  const isFirst = !existsSync(join(data, databaseFile));
  say(isFirst ? "Starting Tributary. The first start also creates the demo data …" : "Starting Tributary …");
  const secrets = await ensureSecrets(devVars, !isFirst);

  keepSmall([workerLog]);
  const local = await service.openDatabases(folder, count);
  const { databases } = local;
  const [database] = databases;
  const demo = await ensureDemo(database);
  const built = await buildApart({ directory: folder.dist, ...(isDefault && { sdk: sdkDist }), log: console.error });
  const logStart = sizeOf(workerLog);
  await prepare(folder, local, built, secrets);
  const worker = await service.start(folder);

  const ended = worker.ended.then(
    (reason) => `${reason} Its last words, in ${shown(workerLog)}:\n${tail(workerLog, logStart)}`,
  );
  await Promise.race([service.untilReady(shown(workerLog)), service.failOnEnd(ended)]);
  if (service.isStopping) return;
  if (databases.length > 1)
    say(`\n  ${describeShards(local, count)}. Those besides 0 are in ${shown(join(data, "shards"))}.`);
  say(banner(demo, database, built));
  if (!values["no-sample"]) void addSample(database);
  await service.failOnEnd(ended);
}

/**
 * Runs a part of the sample in a separate process, because the code that it loads would stay in memory. Throws an
 * `ExplainedError` with the process's output.
 */
async function runSample(what: "demo" | "program", file: string, database: ShardDatabase): Promise<void> {
  const lines: string[] = [];
  const env = { ...process.env, DATABASE_URL: database.url, DATABASE_AUTH_TOKEN: database.authToken, SHARDS: "" };
  const isDone = await runApart("scripts/sample/run.ts", [what, file], env, (line) => void lines.push(line));
  if (!isDone) throw new ExplainedError(lines.join("\n"));
}

async function ensureDemo(database: ShardDatabase): Promise<Demo> {
  const file = join(data, "demo.json");
  await runSample("demo", file, database);
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Adds the sample program once the service is ready, so that it doesn't delay the start. */
async function addSample(database: ShardDatabase): Promise<void> {
  try {
    await runSample("program", devVars, database);
  } catch (error) {
    if (!service.isStopping)
      console.error(`The sample program was not created. The next start tries again.\n${explain(error)}`);
  }
}

function keepSmall(logs: readonly string[]): void {
  const rotate = () => {
    for (const file of logs) rotateLog(file, maxLogBytes);
  };
  rotate();
  setInterval(rotate, rotateEveryMs).unref();
}

async function prepare(
  folder: DataFolder,
  local: LocalDatabases,
  build: ServedFiles,
  made: Readonly<Record<string, string>>,
): Promise<void> {
  const { SIGN_UP: signUp = "open", RATE_LIMITS: limits = "on", WEBHOOK_ALLOW: allow = loopback } = process.env;
  const { hook, mailboxPort, secrets } = await receiveMails(made);
  await service.prepare(folder, local, {
    build,
    vars: { SIGN_UP: signUp, RATE_LIMITS: limits, BASE_URL: url, MAIL_HOOK: hook, WEBHOOK_ALLOW: allow },
    secrets,
    log: openSync(workerLog, "a"),
    say: (_, message) => console.error(message),
    mailboxPort,
  });
}

/** Receives the service's emails, unless the environment specifies a mailer. */
async function receiveMails(secrets: Readonly<Record<string, string>>) {
  const { MAIL_HOOK_SECRET: secret = "" } = mailHook === "" ? secrets : process.env;
  const { hook, port: mailboxPort } = mailHook === "" ? await startMailbox(secret) : { hook: mailHook };
  return { hook, mailboxPort, secrets: { ...secrets, MAIL_HOOK_SECRET: secret } };
}

function banner({ programId, code, key, user, partner }: Demo, database: ShardDatabase, { newestSdk }: Built): string {
  const order = `order-${Date.now()}`;
  const customer = order.replace("order", "customer");
  const post = (path: string, body: Record<string, unknown>, isKeyed = true) =>
    `curl -s ${url}/api/v1/track/${path}${isKeyed ? ` -H 'authorization: Bearer ${key}'` : ""}` +
    ` -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
  const landing = `https://shop.example/?aff=${code}`;
  const event = order.replace("order", "click");
  const click = post("click", { affiliate_url: landing, program_id: programId, event_id: event }, false);
  const sample = values["no-sample"] ? "" : "   with a sample shop, complete a few seconds after the first start";
  const lead = post("lead", { click_id: "$CLICK", customer_key: customer }).replace("$CLICK", `'"$CLICK"'`);
  return `
  Tributary is ready:  ${url}
  API reference:       ${url}/docs
  Dashboard:           ${url}/app/${sample}
  Sign in as:          ${user.email}, password ${user.password}
  Mails:               ${mailHook || `${url}/app/mail`}
  Partners' pages:     ${url}/partner/   as ${partner.email}, password ${partner.password}
  Program API key:     ${key}   (program ${programId}, partner code ${code})
  Logs and data:       ${shown(workerLog)}, ${shown(fileURLToPath(database.url))}

  Check the whole integration, in a second shell:

TRIBUTARY_URL=${url} TRIBUTARY_API_KEY=${key} ${verifier} verify

  Or send a click, its lead, its sale and a refund yourself:

CLICK=$(${click}); echo "$CLICK"; CLICK=$(echo "$CLICK" | sed 's/.*"click_id":"\\([^"]*\\)".*/\\1/')
${lead}; echo
${post("sale", { transaction_id: order, amount_cents: 4900, currency: "EUR", customer_key: customer })}; echo
${post("refund", { transaction_id: order, refund_amount_cents: 4900, refund_id: `${order}-refund` })}; echo

  Later, in your own project, install the SDK: echo "allow-remote=root" >> .npmrc && npm install ${url}/${newestSdk}

  Ctrl-C stops it; the data stays.
`;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function tail(file: string, from: number): string {
  const isRotated = sizeOf(file) < from;
  return readFileSync(file)
    .subarray(isRotated ? 0 : from)
    .toString("utf8")
    .trim()
    .split("\n")
    .slice(-20)
    .join("\n");
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
