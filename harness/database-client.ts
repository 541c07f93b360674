import { drizzle } from "drizzle-orm/libsql/http";
import { type Database, type Fetcher, openDatabase } from "#store/database.ts";
import { type Answer, HranaClient, IdleStreams } from "#store/hrana.ts";
import type { SqlValue, Statement } from "#store/statement.ts";
import type { SqlConnection } from "../runtime/node/sql-connection.ts";
import { whileBusy } from "../scripts/database/client.ts";
import { fileConnection, fileDatabase } from "../scripts/database/file-database.ts";
import { send } from "./send.ts";

export type Row = Readonly<Record<string, unknown>>;

export type SentStatement = string | { readonly sql: string; readonly args?: readonly SqlValue[] };

interface Found {
  readonly columns: string[];
  readonly rows: Row[];
}

/** A client of a database. Each call is one transaction, and waits for other writers. */
export interface DatabaseClient {
  execute(statement: SentStatement): Promise<Found>;
  batch(statements: readonly SentStatement[], mode: "read" | "write"): Promise<Found[]>;
}

/**
 * Idle streams by URL, shared by all clients of the process, because opening a stream costs the server more than most
 * queries of the tests.
 */
const streams = new Map<string, IdleStreams>();

function streamsOf(url: string): IdleStreams {
  const known = streams.get(url) ?? new IdleStreams();
  streams.set(url, known);
  return known;
}

const fetcher: Fetcher = {
  fetch: async (address, request) => {
    const { status, text } = await send(address, request);
    return { status, text: async () => text };
  },
};

/** Returns the database as the Ledger and the routes use it. */
export const databaseAt = (url: string): Database =>
  openDatabase({ url, authToken: undefined, server: fileDatabase(url) ?? fetcher }, { idleStreams: streamsOf(url) });

export function openDatabaseClient(url: string): DatabaseClient {
  const file = fileConnection(url);
  return file === undefined
    ? clientOf(new HranaClient({ url, authToken: undefined }, send, streamsOf(url)))
    : clientOfFile(file);
}

export const clientOfFile = (file: SqlConnection): DatabaseClient =>
  clientOf({ batch: async (sent, mode) => answersOf(file, sent, mode) });

interface Batching {
  batch(statements: readonly Statement[], mode: "read" | "write"): Promise<readonly Answer[]>;
}

function clientOf(client: Batching): DatabaseClient {
  const batch = whileBusy(async (statements: readonly SentStatement[], mode: "read" | "write") =>
    (await client.batch(statements.map(statementOf), mode)).map(foundIn),
  );
  return {
    batch,
    execute: async (statement) => {
      const [found] = await batch([statement], isRead(statement) ? "read" : "write");
      return found ?? { columns: [], rows: [] };
    },
  };
}

const answersOf = (file: SqlConnection, statements: readonly Statement[], mode: "read" | "write"): readonly Answer[] =>
  file.batch(statements, mode).map((rows, i) => ({
    columns: file.columnsOf(statements[i]?.sql ?? "").map((name) => ({ name })),
    rows,
  }));

export const sqlOf = (statement: SentStatement): string => (typeof statement === "string" ? statement : statement.sql);

const isRead = (statement: SentStatement): boolean => /^\s*(select|with|explain|pragma)\b/i.test(sqlOf(statement));

const statementOf = (statement: SentStatement): Statement => ({
  sql: sqlOf(statement),
  args: typeof statement === "string" ? [] : [...(statement.args ?? [])],
});

function foundIn({ columns, rows }: Answer): Found {
  const names = columns.map(({ name }) => name ?? "");
  const named = rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i]])));
  return { columns: names, rows: named };
}

/** A query builder that creates statements without a database. */
export const db = drizzle.mock();

export const asStatement = (query: { toSQL(): { sql: string; params: unknown[] } }): SentStatement => {
  const { sql, params } = query.toSQL();
  return { sql, args: params as SqlValue[] };
};
