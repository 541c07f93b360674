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
  /** Default: `fetch`, at `url`. */
  readonly server?: Fetcher | Batches | undefined;
}

/** Sends requests to one server. */
export interface Fetcher {
  fetch(
    address: string,
    request: HranaRequest & { readonly signal: AbortSignal },
  ): Promise<Pick<Response, "status" | "text">>;
}

/**
 * A database in this process. A refused batch throws an error with the `code` and `statementIndex` of a `HranaError`.
 */
export interface Batches {
  batch(statements: readonly SqlText[], mode: BatchMode, timeoutMs: number): Promise<readonly (readonly Row[])[]>;
}

/** A slower request has failed. Without a limit a stopped server would block its caller forever. */
export const requestTimeoutMs = 8_000;

/**
 * `statement`: the statement at `index` was refused; nothing was written.
 * `busy`: another writer held the lock; nothing was written.
 * `unable`: the database can't work at all: its disk is full or failing, or the account is blocked.
 * `refused`: the server refused the reads, possibly because of one caller's.
 * `unknown`: the outcome is not known.
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

/** Not a `Write`. */
type ReadText = Statement & { readonly kind?: "read" };

/** libSQL. Each `read` or `write` is one request and one transaction. */
export interface Database {
  read(statements: readonly ReadText[]): Promise<readonly (readonly Row[])[]>;
  write(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]>;
  readonly roundTrips: number;
}

export interface DatabaseOptions {
  readonly timeoutMs?: number;
  /** Keeps connections between requests. Default: each request opens one. */
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
  // The binding of a Worker accepts any name as one of its methods.
  if (server !== undefined && !("fetch" in server)) {
    return { batch: (statements, mode) => server.batch(statements, mode, timeoutMs) };
  }
  const client = new HranaClient(config, fetchWithin(timeoutMs, server), idleStreams);
  return { batch: async (statements, mode) => (await client.batch(statements, mode)).map(({ rows }) => rows) };
}

/** Clears the timer: a pending one keeps its Durable Object in memory. */
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

const unableCode = /^(BLOCKED|SQLITE_FULL|SQLITE_IOERR)/;

/** The server refuses the request because of its contents. */
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

export function decodeReads(
  names: readonly string[],
  reads: readonly Read<unknown>[],
  results: readonly (readonly Row[])[],
): Record<string, unknown> {
  return Object.fromEntries(names.map((name, i) => [name, reads[i]?.decode(results[i] ?? [])]));
}
