import { backup, DatabaseSync } from "node:sqlite";

/** Pages copied at a time. */
const rate = 1_000;
/** How long a lock is waited for, which only recovery after a crash holds. */
const timeout = 5_000;

/**
 * Copies a SQLite database as it is at one moment, beside whoever reads and writes it. It only reads, and holds nobody up:
 * the database is in WAL mode. The open transaction keeps the moment, however long the copy takes.
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

/** Opens a database that nobody else uses, or that is only read. */
function withDatabase<T>(file: string, readOnly: boolean, use: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { readOnly });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

const hasTable = (database: DatabaseSync, name: string): boolean =>
  database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(name) !== undefined;

/**
 * Removes the keys of visitor digests from a copy of the Ledger's storage. They are deleted within two days, so that nobody
 * can tell visitors from then on; a backup would keep them.
 */
export function removeVisitorKeys(copy: string): void {
  withDatabase(copy, false, (database) => {
    if (!hasTable(database, "visitor_keys")) return;
    database.exec("delete from visitor_keys");
    // Else the rows stay readable in free pages.
    database.exec("vacuum");
  });
}

export interface DatabaseState {
  /** By name, in the order in which they were applied. None: it has no data. */
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

/** The faults that SQLite finds in a file's structure; none where it is sound. */
export const findFaults = (file: string): string[] =>
  withDatabase(file, true, (database) => {
    const found = database.prepare("pragma integrity_check").all();
    return found.map(({ integrity_check: text }) => String(text)).filter((text) => text !== "ok");
  });
