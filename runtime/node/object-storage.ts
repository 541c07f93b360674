import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite";
import { Deserializer, Serializer } from "node:v8";
import { movedMessage, PlacedFile } from "./placed-file.ts";
import { resetError } from "./reset-error.ts";
import { StatementCache } from "./statement-cache.ts";

type Row = Record<string, SQLOutputValue>;

export interface Cursor extends Iterable<Row> {
  toArray(): Row[];
  /** Returns the only row. Throws if there isn't exactly one. */
  one(): Row;
}

export interface StorageOptions {
  readonly file: string;
  /** Stores the times at which to wake the object. `setEarlier` throws if the time can't be stored. */
  readonly alarms: { setEarlier(at: number): void; setLater(at: number | undefined): void };
  /** If true, the constructor throws unless the file can be written. */
  readonly mustStore: boolean;
  /** Called when the writes since the last commit are lost. */
  onFault(error: unknown): void;
}

const maxStatements = 100;
const nsOfMs = 1_000_000n;
/** SQLite's code for a file that it can't write. */
const readOnlyCode = 8;
const never = Number.POSITIVE_INFINITY;
const metadataTable = "create table if not exists _cf_METADATA (key INTEGER PRIMARY KEY, value BLOB)";

/**
 * An object's file in workerd's format. All writes until the end of the current work form one transaction. It is
 * committed at that end, or earlier before anything leaves the object.
 */
export class ObjectStorage {
  readonly sql = { exec: (query: string, ...bindings: SQLInputValue[]): Cursor => this.#exec(query, bindings) };
  readonly #options: StorageOptions;
  readonly #db: DatabaseSync;
  readonly #placed: PlacedFile;
  readonly #statements: StatementCache<StatementSync>;
  #isOpen = true;
  #isWriting = false;
  #hasValues: boolean;
  #hasMetadata: boolean;
  #alarm: number | undefined;
  #storedAlarm: number | undefined;
  /**
   * True while an alarm's handler runs. The alarm then counts as removed, but stays stored in case the process ends.
   */
  #isRinging = false;

  constructor(options: StorageOptions) {
    this.#options = options;
    this.#db = new DatabaseSync(options.file);
    this.#statements = new StatementCache(maxStatements, (sql) => this.#db.prepare(sql));
    try {
      this.#db.exec("pragma journal_mode = wal; pragma synchronous = full");
      const has = this.#db.prepare("select 1 from sqlite_master where type = 'table' and name = ?");
      this.#hasValues = has.get("_cf_KV") !== undefined;
      this.#hasMetadata = has.get("_cf_METADATA") !== undefined;
      this.#alarm = this.#hasMetadata ? this.#readAlarm() : undefined;
      if (options.mustStore) this.#writeSomething();
    } catch (error) {
      this.#db.close();
      throw error;
    }
    this.#storedAlarm = this.#alarm;
    this.#placed = new PlacedFile(options.file);
  }

  get(key: string): Promise<unknown> {
    return this.#whileOpen(() => {
      if (!this.#hasValues) return undefined;
      const row = this.#statements.get("select value from _cf_KV where key = ?").get(key);
      return row?.value instanceof Uint8Array ? deserialized(row.value) : undefined;
    });
  }

  put(key: string, value: unknown): Promise<void> {
    return this.#whileOpen(() => {
      const bytes = serialized(value);
      if (!this.#hasValues) this.#exec("create table _cf_KV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID", []);
      this.#hasValues = true;
      this.#exec("insert into _cf_KV values (?, ?) on conflict do update set value = excluded.value", [key, bytes]);
    });
  }

  getAlarm(): Promise<number | null> {
    return this.#whileOpen(() => (this.#isRinging ? null : (this.#alarm ?? null)));
  }

  setAlarm(time: number | Date): Promise<void> {
    return this.#whileOpen(() => {
      const at = Math.floor(Number(time));
      if (!Number.isSafeInteger(at)) throw new TypeError("setAlarm() takes a time in milliseconds");
      this.#writeAlarm(at);
    });
  }

  deleteAlarm(): Promise<void> {
    return this.#whileOpen(() => this.#writeAlarm(undefined));
  }

  /** The promise never settles if the file is closed. */
  async #whileOpen<T>(work: () => T): Promise<T> {
    try {
      this.#requireOpen();
      return work();
    } catch (error) {
      return this.#isOpen ? Promise.reject(error) : new Promise(() => {});
    }
  }

  /** Writes to the file durably without changing a value. Throws if the file can't be written. */
  #writeSomething(): void {
    this.#db.exec(`begin immediate; ${metadataTable};
      insert into _cf_METADATA values (1, null) on conflict do update set value = value; commit`);
    this.#hasMetadata = true;
  }

  /** Decides whether the handler of an alarm set to `at` has to run now. If not, returns when to ring, if at all. */
  beginAlarm(at: number): { readonly isDue: boolean; readonly next: number | undefined } {
    this.#requireOpen();
    this.#isRinging = this.#alarm !== undefined && this.#alarm <= at;
    return { isDue: this.#isRinging, next: this.#alarm };
  }

  /** Ends an alarm. Returns when to ring next, or that the handler has to run again. */
  endAlarm(isDone: boolean): { readonly next: number | undefined } | "again" {
    const isReplaced = !this.#isRinging;
    if (!isReplaced && !isDone) {
      this.#isRinging = false;
      return "again";
    }
    if (!isReplaced) this.#writeAlarm(undefined);
    this.commit();
    return { next: this.#alarm };
  }

  /** Commits the writes. If it throws, none of them are stored, and the storage is closed. */
  commit(): void {
    this.#requireOpen();
    if (!this.#isWriting) return;
    this.#isWriting = false;
    const [before, alarm] = [this.#storedAlarm ?? never, this.#alarm ?? never];
    try {
      if (!this.#placed.isInPlace) throw Object.assign(new Error(movedMessage), { errcode: readOnlyCode });
      if (alarm < before) this.#options.alarms.setEarlier(alarm);
      this.#db.exec("commit");
    } catch (error) {
      this.#fail(error);
    }
    this.#storedAlarm = this.#alarm;
    if (alarm > before) this.#options.alarms.setLater(this.#alarm);
  }

  /** Closes the file. Uncommitted writes are lost. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#statements.clear();
    if (this.#db.isTransaction) rollBack(this.#db);
    this.#db.close();
  }

  #exec(query: string, bindings: readonly SQLInputValue[]): Cursor {
    this.#requireOpen();
    if (!/^\s*select\b/i.test(query)) this.#begin();
    try {
      return cursorOf(this.#run(query, bindings));
    } catch (error) {
      // SQLite itself rolls a transaction back if the disk is full or fails.
      if (this.#isWriting && !this.#db.isTransaction) this.#fail(error);
      throw error;
    }
  }

  /** Runs a query. If it has several statements, the last one gets the bindings and returns the rows. */
  #run(query: string, bindings: readonly SQLInputValue[]): Row[] {
    for (let rest = query; ; ) {
      const statement = this.#statements.get(rest);
      rest = rest.slice(statement.sourceSQL.length);
      if (rest.trim() === "") return statement.all(...bindings);
      statement.run();
    }
  }

  #begin(): void {
    if (this.#isWriting) return;
    this.#db.exec("begin");
    this.#isWriting = true;
    process.nextTick(() => {
      if (!this.#isOpen) return;
      try {
        this.commit();
      } catch {
        // `onFault` has reported the error.
      }
    });
  }

  #readAlarm(): number | undefined {
    const row = this.#db.prepare(`select value / ${nsOfMs} as at from _cf_METADATA where key = 1`).get();
    return typeof row?.at === "number" ? row.at : undefined;
  }

  #writeAlarm(at: number | undefined): void {
    if (!this.#hasMetadata) this.#exec(metadataTable, []);
    this.#hasMetadata = true;
    const ns = at === undefined ? null : BigInt(at) * nsOfMs;
    this.#exec("insert into _cf_METADATA values (1, ?) on conflict do update set value = excluded.value", [ns]);
    this.#alarm = at;
    this.#isRinging = false;
  }

  #fail(error: unknown): never {
    this.#isWriting = false;
    this.close();
    this.#options.onFault(error);
    throw error;
  }

  #requireOpen(): void {
    if (!this.#isOpen) throw resetError("this instance of the object has ended");
  }
}

function rollBack(db: DatabaseSync): void {
  try {
    db.exec("rollback");
  } catch {
    // Ignored, because closing the file has the same effect.
  }
}

function cursorOf(rows: Row[]): Cursor {
  return {
    toArray: () => rows,
    one() {
      const [row] = rows;
      if (row === undefined || rows.length > 1) throw new Error(`expected one row, but there are ${rows.length}`);
      return row;
    },
    [Symbol.iterator]: () => rows[Symbol.iterator](),
  };
}

/**
 * A value in the format of structured clones, without the special form for byte arrays that only Node's `serialize`
 * has.
 */
function serialized(value: unknown): Uint8Array {
  const serializer = new Serializer();
  serializer.writeHeader();
  serializer.writeValue(value);
  return serializer.releaseBuffer();
}

function deserialized(bytes: Uint8Array): unknown {
  const deserializer = new Deserializer(bytes);
  deserializer.readHeader();
  return deserializer.readValue();
}
