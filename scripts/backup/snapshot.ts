import { existsSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { Shard } from "#domain/ids.ts";
import { visitorKeyTables } from "#ledger/visitor-keys.ts";

const rate = 1_000;
/** The time to wait for a lock (ms). Only the recovery after a crash holds this lock. */
const timeout = 5_000;

/**
 * Copies a live SQLite database as of one instant. It only reads, and doesn't block writers, because the database is in
 * WAL mode. The open transaction keeps the instant fixed, however long the copy takes.
 */
export async function snapshot(source: string, copy: string): Promise<void> {
  const database = new DatabaseSync(source, { readOnly: true, timeout });
  try {
    database.exec("begin");
    database.prepare("select count(*) from sqlite_schema").get();
    await backup(database, copy, { rate });
  } finally {
    database.close();
  }
}

function withDatabase<T>(file: string | URL, readOnly: boolean, use: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { readOnly, timeout });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

const hasTable = (database: DatabaseSync, name: string): boolean =>
  database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(name) !== undefined;

/**
 * Removes the keys of visitor digests from a copy of the Ledger's storage. The Ledger deletes these keys within two
 * days, so that visitors can't be recognized any more. A backup would preserve them.
 */
export function removeVisitorKeys(copy: string): void {
  withDatabase(copy, false, (database) => {
    const tables = visitorKeyTables.filter((table) => hasTable(database, table));
    if (tables.length === 0) return;
    for (const table of tables) database.exec(`delete from ${table}`);
    // Without this, the rows would stay readable in free pages.
    database.exec("vacuum");
  });
}

/** Reads a file with SQLite, and leaves no write-ahead log behind. */
function read<T>(file: string, use: (database: DatabaseSync) => T): T {
  const url = pathToFileURL(file);
  if (!existsSync(`${file}-wal`)) url.searchParams.set("immutable", "1");
  return withDatabase(url, true, use);
}

export interface AppliedMigration {
  readonly name: string;
  readonly hash: string;
}

export const readApplied = (file: string): readonly AppliedMigration[] =>
  read(file, (database) =>
    hasTable(database, "schema_migrations")
      ? database
          .prepare("select name, hash from schema_migrations order by name")
          .all()
          .map(({ name, hash }) => ({ name: String(name), hash: String(hash) }))
      : [],
  );

export interface KnownShard {
  readonly shard: Shard;
  readonly location: string | undefined;
  readonly installation: string;
}

/** The shards other than the home shard, as listed in the home database. */
export const readShards = (file: string): readonly KnownShard[] =>
  read(file, (database) =>
    hasTable(database, "shards")
      ? database
          .prepare(
            "select s.number, s.location, i.installation from shards s, shard_identity i where s.number <> 0 order by s.number",
          )
          .all()
          .map(({ number, location, installation }) => ({
            shard: Number(number),
            location: location === null ? undefined : String(location),
            installation: String(installation),
          }))
      : [],
  );

/**
 * True if a migration of a program between shards was running at any time since `at`, according to the home database.
 */
export const hasMoved = (file: string, at: number): boolean =>
  read(
    file,
    (database) =>
      hasTable(database, "program_moves") &&
      database.prepare("select 1 from program_moves where state = 'open' or ended_at >= ?").get(at) !== undefined,
  );

export interface DatabaseState {
  readonly migrations: readonly string[];
  readonly writer?: { readonly epoch: number; readonly seq: number };
}

export function readState(file: string): DatabaseState {
  return withDatabase(file, true, (database) => {
    if (!hasTable(database, "schema_migrations")) return { migrations: [] };
    const migrations = database.prepare("select name from schema_migrations order by name").all();
    const writer = hasTable(database, "ledger_writers")
      ? database.prepare("select epoch, seq from ledger_writers").get()
      : undefined;
    return {
      migrations: migrations.map(({ name }) => String(name)),
      ...(writer && { writer: { epoch: Number(writer.epoch), seq: Number(writer.seq) } }),
    };
  });
}

export const findFaults = (file: string): string[] =>
  withDatabase(file, true, (database) => {
    const found = database.prepare("pragma integrity_check").all();
    return found.map(({ integrity_check: text }) => String(text)).filter((text) => text !== "ok");
  });
