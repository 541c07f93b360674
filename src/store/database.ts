import { type Client, createClient, LibsqlBatchError, LibsqlError } from "@libsql/client/http";
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
 * `quota`: the account may not do this, now or ever; nothing was done.
 * `refused`: the reads, which may be somebody's in particular, were answered with a refusal.
 * `unknown`: whether it was done is not known.
 */
export type DatabaseFault =
  | { readonly kind: "statement"; readonly index: number }
  | { readonly kind: "busy" }
  | { readonly kind: "quota" }
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

export function openDatabase({ url, authToken, onFault }: DatabaseConfig, timeoutMs = requestTimeoutMs): Database {
  const client: Client = createClient({
    url,
    ...(authToken === undefined ? {} : { authToken }),
    fetch: (request: Request) => fetchWithin(request, timeoutMs),
  });
  let roundTrips = 0;
  const batch = async (statements: readonly Statement[], mode: "read" | "write") => {
    roundTrips += 1;
    try {
      const results = await client.batch([...statements], mode);
      return results.map(({ rows }) => rows);
    } catch (error) {
      const fault = faultOf(error, mode);
      onFault?.(fault.kind);
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
async function fetchWithin(request: Request, timeoutMs: number): Promise<Response> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error("the database did not answer in time")), timeoutMs);
  try {
    const response = await fetch(request, { signal: controller.signal });
    return new Response(await response.arrayBuffer(), response);
  } finally {
    clearTimeout(timer);
  }
}

/** Codes that speak of the statement itself; any other (a full disk, a failing one) is no fault of its caller. */
const statementCode = /^SQLITE_(CONSTRAINT|ERROR|MISMATCH|RANGE|TOOBIG)/;

/** Codes by which a server refuses a request for what is in it. */
const requestCode = /^(RESPONSE_TOO_LARGE|SQL_)/;

function faultOf(error: unknown, mode: "read" | "write"): DatabaseFault {
  if (!(error instanceof LibsqlError)) return { kind: "unknown" };
  if (error.code.startsWith("SQLITE_BUSY") || error.code.startsWith("SQLITE_LOCKED")) return { kind: "busy" };
  if (error.code === "BLOCKED" || error.code === "SQLITE_FULL") return { kind: "quota" };
  if (error instanceof LibsqlBatchError && statementCode.test(error.code)) {
    return { kind: "statement", index: error.statementIndex };
  }
  return mode === "read" && requestCode.test(error.code) ? { kind: "refused" } : { kind: "unknown" };
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
