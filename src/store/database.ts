import { type BatchMode, type HranaAnswer, HranaClient, HranaError } from "./hrana.ts";
import type { Found, Read, Reads, Row, Statement } from "./statement.ts";

export interface DatabaseConfig {
  readonly url: string;
  readonly authToken: string | undefined;
  /** Hears of each request that failed. */
  readonly onFault?: ((kind: DatabaseFault["kind"]) => void) | undefined;
}

/** A database request that takes longer has failed; without an end a stopped server would hang its caller for ever. */
export const requestTimeoutMs = 8_000;

/**
 * Why a request to the database failed.
 * `statement`: the statement at `index` was refused, and nothing of the batch was done.
 * `busy`: another writer held the lock, and nothing was done.
 * `unable`: the database says that it can't work, whatever it is asked: its disk is full or fails, or the account may not.
 * `refused`: the reads, which may be somebody's in particular, were answered with a refusal.
 * `unknown`: whether it was done is not known.
 */
export type DatabaseFault =
  | { readonly kind: "statement"; readonly index: number }
  | { readonly kind: "busy" }
  | { readonly kind: "unable" }
  | { readonly kind: "refused" }
  | { readonly kind: "unknown" };

/** A failed request, with the class of its fault. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly fault: DatabaseFault;

  constructor(fault: DatabaseFault, cause: unknown) {
    super(`database request failed: ${fault.kind}`, { cause });
    this.fault = fault;
  }
}

/** A libSQL database over HTTP. Each call of `read` or `write` is one request and one transaction. */
export interface Database {
  read(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]>;
  write(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]>;
  /** Batches sent so far. */
  readonly roundTrips: number;
}

export interface DatabaseOptions {
  readonly timeoutMs?: number;
  /** Keeps connections between its requests: for whoever sends more than a few. Default: false. */
  readonly keepsStreams?: boolean;
}

export function openDatabase(
  config: DatabaseConfig,
  { timeoutMs = requestTimeoutMs, keepsStreams = false }: DatabaseOptions = {},
): Database {
  const client = new HranaClient(config, (request) => fetchWithin(request, timeoutMs), keepsStreams);
  let roundTrips = 0;
  const batch = async (statements: readonly Statement[], mode: BatchMode) => {
    roundTrips += 1;
    try {
      return await client.batch(statements, mode);
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

/** A request with its whole answer, or none. The timer ends with it: one left running keeps its object in memory. */
async function fetchWithin(request: Request, timeoutMs: number): Promise<HranaAnswer> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error("the database did not answer in time")), timeoutMs);
  try {
    const response = await fetch(request, { signal: controller.signal });
    return { status: response.status, text: await response.text() };
  } finally {
    clearTimeout(timer);
  }
}

/** Codes that speak of the statement itself; any other (a full disk, a failing one) is no fault of its caller. */
const statementCode = /^SQLITE_(CONSTRAINT|ERROR|MISMATCH|RANGE|TOOBIG)/;

/** Codes of a database that can't work at all. */
const unableCode = /^(BLOCKED|SQLITE_FULL|SQLITE_IOERR)/;

/** Codes by which a server refuses a request for what is in it. */
const requestCode = /^(RESPONSE_TOO_LARGE|SQL_)/;

function faultOf(error: unknown, mode: BatchMode): DatabaseFault {
  if (!(error instanceof HranaError) || error.code === undefined) return { kind: "unknown" };
  const { code, statementIndex: index } = error;
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) return { kind: "busy" };
  if (unableCode.test(code)) return { kind: "unable" };
  if (index !== undefined && statementCode.test(code)) return { kind: "statement", index };
  return mode === "read" && requestCode.test(code) ? { kind: "refused" } : { kind: "unknown" };
}

/** Runs named reads in one request. */
export async function readAtOnce<R extends Reads>(database: Database, reads: R): Promise<Found<R>> {
  const names = Object.keys(reads);
  const statements = Object.values(reads);
  const results = await database.read(statements);
  return foundBy(names, statements, results) as Found<R>;
}

/** Puts the rows of each named read in its place. */
export function foundBy(
  names: readonly string[],
  reads: readonly Read<unknown>[],
  results: readonly (readonly Row[])[],
): Record<string, unknown> {
  return Object.fromEntries(names.map((name, i) => [name, reads[i]?.decode(results[i] ?? [])]));
}

/** Asks for nothing; throws where the database does not answer. */
export async function pingDatabase(database: Database): Promise<void> {
  await database.read([{ sql: "select 1", args: [] }]);
}
