import type { Batches } from "#store/database.ts";
import { inodeOf } from "./placed-file.ts";
import type { BatchMode } from "./sql-connection.ts";
import { DatabaseThread, DatabaseTimeout } from "./threads.ts";

const writerKibibytes = 16_384;
const readerKibibytes = 8_192;
/** The maximum number of threads that still run a query whose caller has left. */
const maxAbandoned = 3;

/**
 * Reads a database file for all callers but the Ledger, in a separate thread, because a query can't be interrupted. A
 * reader of the write-ahead log sees a snapshot, and writers don't wait for it, even in another process.
 */
export class FileReader implements Batches {
  #reader: DatabaseThread;
  readonly #abandoned = new Set<DatabaseThread>();
  readonly #file: string;
  /** The inode of the file, so that all readers read the same file even if another file takes its place. */
  #inode: number | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#reader = this.#startReader();
  }

  async batch(statements: Parameters<Batches["batch"]>[0], mode: BatchMode, timeoutMs: number) {
    if (mode === "write") throw new Error("only the Ledger writes");
    const reader = this.#reader;
    try {
      return await reader.batch(statements, mode, timeoutMs);
    } catch (error) {
      if (error instanceof DatabaseTimeout) this.#replace(reader);
      throw error;
    }
  }

  /**
   * Replaces a reader whose query has timed out. The query continues, and other queries would otherwise wait for it.
   */
  #replace(reader: DatabaseThread): void {
    if (this.#reader !== reader || this.#abandoned.size >= maxAbandoned) return;
    this.#reader = this.#startReader();
    this.#abandoned.add(reader);
    void reader.close().then(() => this.#abandoned.delete(reader));
  }

  #startReader(): DatabaseThread {
    this.#inode ??= inodeOf(this.#file);
    const data = { file: this.#file, cacheKibibytes: readerKibibytes, mustExist: true, inode: this.#inode };
    const reader = new DatabaseThread(data);
    reader.ended.catch(() => {
      if (this.#reader === reader) this.#reader = this.#startReader();
    });
    return reader;
  }

  get ready(): Promise<void> {
    return this.#reader.ready;
  }

  /** Waits for the queries that timed out, too: libsql aborts a process that exits during one. */
  async close(): Promise<void> {
    await Promise.all([this.#reader, ...this.#abandoned].map((reader) => reader.close()));
  }
}

/** A database file with two threads: one for the Ledger, and one for all other reads. */
export class FileDatabase {
  readonly #writer: DatabaseThread;
  readonly #reader: FileReader;
  /** Rejects if the Ledger's thread ends. */
  readonly ended: Promise<never>;

  constructor(file: string) {
    this.#writer = new DatabaseThread({ file, cacheKibibytes: writerKibibytes });
    this.#reader = new FileReader(file);
    this.ended = this.#writer.ended;
  }

  /** Runs the Ledger's batches in the order of its calls, so that it reads its own writes. */
  readonly ofLedger: Batches = {
    batch: (statements, mode, timeoutMs) => this.#writer.batch(statements, mode, timeoutMs),
  };

  readonly ofOthers: Batches = {
    batch: (statements, mode, timeoutMs) =>
      mode === "write"
        ? this.#writer.batch(statements, mode, timeoutMs)
        : this.#reader.batch(statements, mode, timeoutMs),
  };

  async ready(): Promise<void> {
    await Promise.all([this.#writer.ready, this.#reader.ready]);
  }

  async close(): Promise<void> {
    await Promise.all([this.#writer.close(), this.#reader.close()]);
  }
}
