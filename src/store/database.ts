import {
  type BatchMode,
  type HranaAnswer,
  HranaClient,
  type HranaError,
  type HranaRequest,
  IdleStreams,
} from "./hrana.ts";
import type { Found, Read, Reads, Row, SqlText, Statement } from "./statement.ts";

export { IdleStreams };

export interface DatabaseConfig {
  readonly url: string;
  readonly authToken: string | undefined;
  readonly onFault?: ((kind: DatabaseFault["kind"]) => void) | undefined;
  /** Receives the requests. Defaults to `fetch` with `url`. */
  readonly server?: Fetcher | Batches | undefined;
}

/** Sends requests to a database server. */
export interface Fetcher {
  fetch(
    address: string,
    request: HranaRequest & { readonly signal: AbortSignal },
  ): Promise<Pick<Response, "status" | "text">>;
}

/**
 * A database in this process. If it rejects a batch, it throws an error with `code` and `statementIndex`, like
 * `HranaError`.
 */
export interface Batches {
  batch(statements: readonly SqlText[], mode: BatchMode, timeoutMs: number): Promise<readonly (readonly Row[])[]>;
}

/** A request that takes longer fails. Without this limit, a stopped server would block its callers forever. */
const requestTimeoutMs = 8_000;

/**
 * - `statement`: the statement at `index` was rejected. Nothing was written.
 * - `busy`: another writer held the lock. Nothing was written.
 * - `unable`: the database can't work at all. Its disk is full, failing or read-only, or the account is blocked.
 * - `refused`: the server rejected the reads, possibly because of one caller's values.
 * - `unknown`: the outcome isn't known.
 */
export type DatabaseFault =
  | { readonly kind: "statement"; readonly index: number }
  | { readonly kind: "busy" }
  | { readonly kind: "unable" }
  | { readonly kind: "refused" }
  | { readonly kind: "unknown" };

export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly fault: DatabaseFault;

  constructor(fault: DatabaseFault, cause: unknown) {
    super(`database request failed: ${fault.kind}`, { cause });
    this.fault = fault;
  }
}

/** The type of statements that `read` accepts. It excludes `Write`, so that a write can't be passed. */
type ReadText = Statement & { readonly kind?: "read" };

/** A libSQL database. Each call of `read` or `write` is one request and one transaction. */
export interface Database {
  read(statements: readonly ReadText[]): Promise<readonly (readonly Row[])[]>;
  write(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]>;
  readonly roundTrips: number;
}

export interface DatabaseOptions {
  readonly timeoutMs?: number;
  /** Keeps connections open between requests. Without it, each request opens a new connection. */
  readonly idleStreams?: IdleStreams;
}

export function openDatabase(
  config: DatabaseConfig,
  { timeoutMs = requestTimeoutMs, idleStreams }: DatabaseOptions = {},
): Database {
  const { batch: send } = batchesOf(config, timeoutMs, idleStreams);
  let roundTrips = 0;
  const batch = async (statements: readonly Statement[], mode: BatchMode) => {
    roundTrips += 1;
    try {
      return await send(statements, mode, timeoutMs);
    } catch (error) {
      const fault = faultOf(error, mode);
      config.onFault?.(fault.kind);
      throw new DatabaseError(fault, error);
    }
  };
  return {
    read: (statements) => batch(statements, "read"),
    write: (statements) => batch(statements, "write"),
    get roundTrips() {
      return roundTrips;
    },
  };
}

function batchesOf(config: DatabaseConfig, timeoutMs: number, idleStreams: IdleStreams | undefined): Batches {
  const { server } = config;
  // A test for a method `batch` would not work: a service binding of a Worker seems to have methods of any name.
  if (server !== undefined && !("fetch" in server)) {
    return { batch: (statements, mode) => server.batch(statements, mode, timeoutMs) };
  }
  const client = new HranaClient(config, fetchWithin(timeoutMs, server), idleStreams);
  return { batch: async (statements, mode) => (await client.batch(statements, mode)).map(({ rows }) => rows) };
}

/** Clears the timer, because a pending timer keeps a Durable Object in memory. */
const fetchWithin =
  (timeoutMs: number, fetcher: Fetcher = { fetch: (address, request) => fetch(address, request) }) =>
  async (address: string, request: HranaRequest): Promise<HranaAnswer> => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(new Error("the database did not answer in time")), timeoutMs);
    try {
      const response = await fetcher.fetch(address, { ...request, signal: controller.signal });
      return { status: response.status, text: await response.text() };
    } finally {
      clearTimeout(timer);
    }
  };

const statementCode = /^SQLITE_(CONSTRAINT|ERROR|MISMATCH|RANGE|TOOBIG)/;

const unableCode = /^(BLOCKED|SQLITE_(CANTOPEN|FULL|IOERR|READONLY))/;

/** Error codes with which the server rejects a request because of its contents. */
const requestCode = /^(RESPONSE_TOO_LARGE|SQL_)/;

function faultOf(error: unknown, mode: BatchMode): DatabaseFault {
  const { code, statementIndex: index } = error as Partial<Pick<HranaError, "code" | "statementIndex">>;
  if (typeof code !== "string") return { kind: "unknown" };
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) return { kind: "busy" };
  if (unableCode.test(code)) return { kind: "unable" };
  if (index !== undefined && statementCode.test(code)) return { kind: "statement", index };
  return mode === "read" && requestCode.test(code) ? { kind: "refused" } : { kind: "unknown" };
}

export async function readBatch<R extends Reads>(database: Pick<Database, "read">, reads: R): Promise<Found<R>> {
  const names = Object.keys(reads);
  const statements = Object.values(reads);
  const results = await database.read(statements);
  return decodeReads(names, statements, results) as Found<R>;
}

export async function readOne<T>(database: Pick<Database, "read">, read: Read<T>): Promise<T> {
  const [rows = []] = await database.read([read]);
  return read.decode(rows);
}

function decodeReads(
  names: readonly string[],
  reads: readonly Read<unknown>[],
  results: readonly (readonly Row[])[],
): Record<string, unknown> {
  return Object.fromEntries(names.map((name, i) => [name, reads[i]?.decode(results[i] ?? [])]));
}
