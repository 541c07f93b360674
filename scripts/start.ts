import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ReleaseError } from "../sdk/releases.ts";
import { isSignUpMode, signUpModes } from "../src/domain/sign-up.ts";
import { backUpBeforeMigrations } from "./backup/before-migrations.ts";
import { BackupError } from "./backup/error.ts";
import { type Build, build, sdkDist } from "./build.ts";
import type { Child } from "./child.ts";
import { type Demo, seedDemo } from "./demo.ts";
import { MigrationError, migrate } from "./migrate.ts";
import { isPortFree } from "./ports.ts";
import { root } from "./root.ts";
import { rotateLog } from "./rotate-log.ts";
import { keepSecrets } from "./secrets.ts";
import { type Sqld, startSqld } from "./sqld.ts";
import { startWorkerd } from "./workerd.ts";

// npm start: the whole service on this machine. `--data <folder>` keeps everything in another folder than .data.

const readyWithinMs = 60_000;
const maxLogBytes = 10_000_000;
const rotateEveryMs = 5_000;

class StartError extends Error {}

interface Places {
  readonly data: string;
  readonly dist: string;
  readonly devVars: string;
  readonly worker: string;
  readonly workerLog: string;
  readonly databaseLog: string;
  readonly running: string;
}

const { values } = parseArgs({ options: { data: { type: "string" } } });
const data = resolve(root, values.data ?? ".data");
const isDefault = values.data === undefined;
const places: Places = {
  data,
  // Its own: `npm run build` changes nothing of what is served meanwhile.
  dist: join(data, "dist"),
  devVars: isDefault ? join(root, ".dev.vars") : join(data, "dev.vars"),
  worker: join(data, "worker"),
  workerLog: join(data, "worker.log"),
  databaseLog: join(data, "sqld.log"),
  running: join(data, "running.json"),
};
const port = Number(process.env.PORT || 8787);
const url = `http://127.0.0.1:${port}`;

let sqld: Sqld | undefined;
let worker: Child | undefined;
let isOurs = false;
let stopping: Promise<void> | undefined;

function stop(): Promise<void> {
  stopping ??= (async () => {
    // The Worker first, so that nobody asks the database any more.
    await worker?.stop(2_000);
    await sqld?.stop();
    if (isOurs) await rm(places.running, { force: true });
  })();
  return stopping;
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, async () => {
    if (stopping === undefined) say("\nStopping …");
    await stop();
    process.exit(0);
  });
}

// npm can be killed without a word to us.
const { ppid } = process;
if (process.env.npm_lifecycle_event === "start") {
  setInterval(() => {
    if (process.ppid !== ppid) process.kill(process.pid, "SIGHUP");
  }, 1_000).unref();
}

try {
  await run();
} catch (error) {
  if (stopping === undefined) {
    await stop();
    const isExplained = [StartError, MigrationError, BackupError, ReleaseError].some((kind) => error instanceof kind);
    console.error(isExplained && error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

async function run(): Promise<void> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new StartError(`PORT is ${process.env.PORT}, which is no port. Choose one from 1 to 65535.`);
  }
  const { SIGN_UP: signUp = "open" } = process.env;
  if (!isSignUpMode(signUp)) throw new StartError(`SIGN_UP is ${signUp}: it is ${signUpModes.join(" or ")}.`);
  await mkdir(places.data, { recursive: true });
  await chmod(places.data, 0o700);
  await takePlace();
  if (!(await isPortFree(port))) {
    throw new StartError(
      `Port ${port} is in use. Stop what listens there, or choose another: PORT=${port + 1} npm start`,
    );
  }

  keepLogsSmall();
  await keepObjects(places.worker);
  const database = await startSqld({ directory: places.data, logFile: places.databaseLog, requiresToken: true });
  sqld = database;
  await writeRunning({ databaseUrl: database.url, databaseAuthToken: database.authToken });
  await backUpBeforeMigrations(places.data);
  await migrate(database);
  const demo = await seedDemo(database, join(places.data, "demo.json"));
  const built = await build({ directory: places.dist, keepsParts: true, ...(isDefault && { sdk: sdkDist }) });
  const logStart = sizeOf(places.workerLog);
  const child = await startWorker(built, database);
  worker = child;

  const ended = Promise.race([
    database.ended,
    child.exited.then(
      ({ code, signal }) =>
        `The Worker ended (${signal ?? `exit code ${code}`}). Its last words, in ${shown(places.workerLog)}:\n` +
        tail(places.workerLog, logStart),
    ),
  ]);
  await Promise.race([untilReady(), ended.then(failUnlessStopping)]);
  if (stopping !== undefined) return;
  say(banner(demo, database, built));
  await ended.then(failUnlessStopping);
}

function failUnlessStopping(reason: string): void {
  if (stopping === undefined) throw new StartError(reason);
}

/** Two servers on the same data would destroy it. */
async function takePlace(): Promise<void> {
  const other = await readFile(places.running, "utf8")
    .then((text) => JSON.parse(text) as { pid: number; url: string })
    .catch(() => undefined);
  if (other !== undefined && isAlive(other.pid)) {
    throw new StartError(
      `It is running already, at ${other.url} (process ${other.pid}). If that process is another program's, remove ${shown(places.running)}.`,
    );
  }
  // One that was left behind may be readable by others.
  await rm(places.running, { force: true });
  await writeRunning({});
  isOurs = true;
}

/** Tells other commands what runs here. */
async function writeRunning(database: { databaseUrl?: string; databaseAuthToken?: string | undefined }): Promise<void> {
  await writeFile(places.running, JSON.stringify({ pid: process.pid, url, ...database }), { mode: 0o600 });
}

/** Moves what the Ledger kept under the development server of earlier releases, and drops that server's own files. */
async function keepObjects(worker: string): Promise<void> {
  const earlier = join(worker, "v3");
  await rename(join(earlier, "do"), join(worker, "objects")).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  for (const old of [earlier, join(places.data, "wrangler-logs")]) await rm(old, { recursive: true, force: true });
}

function keepLogsSmall(): void {
  const rotate = () => {
    for (const file of [places.workerLog, places.databaseLog]) rotateLog(file, maxLogBytes);
  };
  rotate();
  setInterval(rotate, rotateEveryMs).unref();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

async function startWorker(build: Build, { url: databaseUrl, authToken = "" }: Sqld): Promise<Child> {
  const log = openSync(places.workerLog, "a");
  const { SIGN_UP: signUp = "open", RATE_LIMITS: limits = "on" } = process.env;
  try {
    return await startWorkerd({
      build,
      directory: places.worker,
      host: "127.0.0.1",
      port,
      databaseUrl,
      vars: { SIGN_UP: signUp, RATE_LIMITS: limits },
      secrets: { ...(await keepSecrets(places.devVars)), DATABASE_AUTH_TOKEN: authToken },
      log,
    });
  } finally {
    closeSync(log);
  }
}

async function untilReady(): Promise<void> {
  const deadline = Date.now() + readyWithinMs;
  let last = "no answer";
  while (stopping === undefined) {
    if (Date.now() > deadline) {
      throw new StartError(
        `${url}/readyz was not ready within ${readyWithinMs / 1000} s (${last}), see ${shown(places.workerLog)}`,
      );
    }
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    if (answer !== undefined) last = `status ${answer.status}`;
    await delay(100);
  }
}

function banner({ programId, code, key, user }: Demo, database: Sqld, { sdk }: Build): string {
  const order = `order-${Date.now()}`;
  const customer = order.replace("order", "customer");
  const post = (path: string, body: Record<string, unknown>, isKeyed = true) =>
    `curl -s ${url}/api/v1/track/${path}${isKeyed ? ` -H 'authorization: Bearer ${key}'` : ""}` +
    ` -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
  const landing = `https://shop.example/?aff=${code}`;
  const click = post("click", { affiliate_url: landing, program_id: programId }, false);
  // The shell puts the click id in.
  const lead = post("lead", { click_id: "$CLICK", customer_key: customer }).replace("$CLICK", `'"$CLICK"'`);
  return `
  Tributary is ready:  ${url}
  API reference:       ${url}/docs
  Dashboard:           ${url}/app/
  Sign in as:          ${user.email}, password ${user.password}
  Program API key:     ${key}   (program ${programId}, partner code ${code})
  SDK:                 echo "allow-remote=root" >> .npmrc && npm install ${url}/${sdk.newestFile}
  Logs and data:       ${shown(places.workerLog)}, database at ${database.url} (token in ${shown(places.running)})

  Click, lead, sale, refund; paste them into a shell:

CLICK=$(${click}); echo "$CLICK"; CLICK=$(echo "$CLICK" | sed 's/.*"click_id":"\\([^"]*\\)".*/\\1/')
${lead}; echo
${post("sale", { transaction_id: order, amount_cents: 4900, currency: "EUR", customer_key: customer })}; echo
${post("refund", { transaction_id: order, refund_amount_cents: 4900, refund_id: `${order}-refund` })}; echo

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

function shown(file: string): string {
  const path = relative(process.cwd(), file);
  return path.startsWith("..") ? file : path;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
