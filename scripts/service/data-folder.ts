import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import type { Shard } from "#domain/ids.ts";
import { home } from "#domain/shard.ts";
import { localFetch } from "../../runtime/node/local-fetch.ts";
import { ledgerLock } from "../../runtime/node/sockets.ts";
import { ExplainedError } from "../command.ts";
import type { ShardDatabase } from "../database/databases.ts";

export interface DataFolder {
  readonly path: string;
  /** The build that is served. `npm run build` doesn't change it. */
  readonly dist: string;
  readonly worker: string;
  readonly running: string;
  /** True if an earlier start didn't close the folder. Its processes may then take a moment to end. */
  readonly wasLeft: boolean;
  tellRunning(databases: readonly ShardDatabase[]): Promise<void>;
  close(): Promise<void>;
}

// Names by which a data folder is recognized. They are unusual, because a common name such as backups already exists
// in /var.
const ownNames = ["sqld", "running.json", "release.json", "dev.vars", "secrets.env"];
// In the image, Node keeps its compiled code in `compiled`.
const ignoredNames = ["lock", "lock-journal", "lost+found", "compiled"];

export interface ServiceAddress {
  readonly url: string;
  /** The service's URL for programs on this machine. */
  readonly localUrl: string;
}

export const runningFile = (path: string): string => join(path, "running.json");

/** Opens the data folder, and creates it if absent. Throws if another service has it open. */
export async function openDataFolder(path: string, address: ServiceAddress): Promise<DataFolder> {
  await takeOver(path);
  const { lock, earlier } = await lockData(path);
  const running = runningFile(path);
  // A file that an earlier start left behind may be readable by others.
  await rm(running, { force: true });
  const tellRunning = (databases: readonly ShardDatabase[]) =>
    writeFile(running, runningText({ pid: process.pid, ...address, databases }), { mode: 0o600 });
  await tellRunning([]);
  return {
    path,
    dist: join(path, "dist"),
    worker: join(path, "worker"),
    running,
    wasLeft: earlier !== undefined,
    tellRunning,
    close: async () => {
      await rm(running, { force: true });
      lock.close();
    },
  };
}

/** Locks the data against every service until the lock is closed. Throws if a service has the data open. */
export async function lockData(path: string) {
  const lock = lockOf(path);
  const earlier = await readRunning(path);
  if (!hold(lock, path)) {
    lock.close();
    throw new ExplainedError(
      earlier === undefined
        ? `Another process uses ${shown(path)}.`
        : `It is running already, at ${earlier.url} (process ${earlier.pid}).`,
    );
  }
  await untilEnded(earlier);
  await untilLedgerEnded(path);
  return { lock, earlier };
}

async function takeOver(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    const names = (await readdir(path)).filter((name) => !ignoredNames.includes(name));
    if (names.length > 0 && !names.some((name) => ownNames.includes(name))) {
      throw new ExplainedError(`${shown(path)} holds files of something else. Name an empty or a new folder.`);
    }
    await chmod(path, 0o700);
  } catch (error) {
    if (error instanceof ExplainedError) throw error;
    throw new ExplainedError(`${shown(path)} can't be used as the data folder: ${messageOf(error)}`);
  }
}

/**
 * Opens the lock file. SQLite holds a lock on the file as long as the process lives. A stored process id could outlive
 * the process.
 */
function lockOf(path: string): DatabaseSync {
  try {
    return new DatabaseSync(join(path, "lock"));
  } catch (error) {
    throw new ExplainedError(`${shown(path)} can't be written: ${messageOf(error)}`);
  }
}

const sqliteBusy = 5;

/**
 * Acquires the lock, because two services on the same data would destroy it. Returns false if another process has the
 * lock.
 */
function hold(lock: DatabaseSync, path: string): boolean {
  try {
    lock.exec("begin exclusive");
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === sqliteBusy) return false;
    throw new ExplainedError(`${shown(path)} can't be written: ${messageOf(error)}`);
  }
}

interface RunningService extends ServiceAddress {
  readonly pid: number;
  /** The databases, home first. Empty until they have started. */
  readonly databases: readonly ShardDatabase[];
}

interface WrittenDatabase {
  readonly databaseUrl?: string;
  readonly databaseAuthToken?: string | undefined;
}

interface Written extends Omit<RunningService, "databases">, WrittenDatabase {
  readonly shards?: readonly (Required<WrittenDatabase> & { readonly shard: Shard })[];
}

/**
 * Returns the text of the file about the running service. The home database has its own field, so the file of a service
 * without other shards has no list.
 */
function runningText({ databases: [first, ...others], ...service }: RunningService): string {
  const written = ({ url, authToken }: ShardDatabase) => ({ databaseUrl: url, databaseAuthToken: authToken });
  const shards = others.map((each) => ({ shard: each.shard, ...written(each) }));
  const file: Written = { ...service, ...(first && written(first)), ...(shards.length > 0 && { shards }) };
  return JSON.stringify(file);
}

export const readRunning = (path: string): Promise<RunningService | undefined> =>
  readFile(runningFile(path), "utf8")
    .then(runningIn)
    .catch(() => undefined);

function runningIn(text: string): RunningService {
  const { databaseUrl, databaseAuthToken, shards = [], ...service } = JSON.parse(text) as Written;
  const databases = [{ shard: home, databaseUrl, databaseAuthToken }, ...shards];
  return {
    ...service,
    databases: databases.flatMap(({ shard, databaseUrl: url, databaseAuthToken: authToken }) =>
      url === undefined ? [] : [{ shard, url, authToken }],
    ),
  };
}

/** The processes of a killed service end by themselves within this time. */
export const endsWithinMs = 10_000;

async function untilEnded(earlier: RunningService | undefined): Promise<void> {
  const deadline = Date.now() + endsWithinMs;
  await Promise.all((earlier?.databases ?? []).map((database) => untilAway(database, deadline)));
}

/** Waits for the ledger process of a killed service, which may still answer its last calls. */
async function untilLedgerEnded(path: string): Promise<void> {
  const file = join(path, "worker", ledgerLock);
  const deadline = Date.now() + endsWithinMs;
  while (existsSync(file)) {
    const lock = new DatabaseSync(file);
    const isFree = hold(lock, path);
    lock.close();
    if (isFree) return;
    if (Date.now() > deadline) throw new ExplainedError(`A process of an earlier start still uses ${shown(path)}.`);
    await delay(100);
  }
}

async function untilAway(database: ShardDatabase, deadline: number): Promise<void> {
  while (await isAnswering(database)) {
    if (Date.now() > deadline) {
      throw new ExplainedError(
        `The database of an earlier start still runs, at ${database.url}. End it first; or, if this folder is a copy of that service's, delete running.json in it.`,
      );
    }
    await delay(100);
  }
}

/**
 * Checks for a running libSQL server of release 0.1.0. The token distinguishes the server from another program on the
 * port.
 */
async function isAnswering({ url, authToken }: ShardDatabase): Promise<boolean> {
  if (authToken === undefined || url.startsWith("file:")) return false;
  const answer = await localFetch(`${url}/v2/pipeline`, {
    method: "POST",
    headers: { authorization: `Bearer ${authToken}`, connection: "close" },
    body: JSON.stringify({ requests: [] }),
    signal: AbortSignal.timeout(2_000),
  }).catch((error: unknown) => error);
  return answer instanceof Response ? answer.ok : answer instanceof DOMException && answer.name === "TimeoutError";
}

export function shown(file: string, folder = process.cwd()): string {
  const path = relative(folder, file);
  // Service managers start the service in the root folder. Paths stay absolute there.
  return path === "" || path.startsWith("..") || folder === "/" ? file : path;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
