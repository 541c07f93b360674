import type { Batches } from "#store/database.ts";
import { DatabaseThread, DatabaseTimeout } from "./threads.ts";

const writerKibibytes = 16_384;
const readerKibibytes = 8_192;
/** Threads that still carry out a query that nobody waits for. */
const maxAbandoned = 3;

/**
 * A database file with two threads: the Ledger's, and one for what people read, since no query can be interrupted. A reader of the
 * write-ahead log sees a snapshot, and no writer waits for it.
 */
export class FileDatabase {
  readonly #writer: DatabaseThread;
  #reader: DatabaseThread;
  #abandoned = 0;
  readonly #file: string;
  /** Rejects if the writer's thread ends. */
  readonly ended: Promise<never>;

  constructor(file: string) {
    this.#file = file;
    this.#writer = new DatabaseThread({ file, cacheKibibytes: writerKibibytes });
    this.#reader = this.#startReader();
    this.ended = this.#writer.ended;
  }

  /** As the Ledger has it: it reads what it wrote, in the order of its calls. */
  readonly ofLedger: Batches = {
    batch: (statements, mode, timeoutMs) => this.#writer.batch(statements, mode, timeoutMs),
  };

  readonly ofOthers: Batches = {
    batch: (statements, mode, timeoutMs) =>
      mode === "write" ? this.#writer.batch(statements, mode, timeoutMs) : this.#read(statements, timeoutMs),
  };

  async #read(statements: Parameters<Batches["batch"]>[0], timeoutMs: number) {
    const reader = this.#reader;
    try {
      return await reader.batch(statements, "read", timeoutMs);
    } catch (error) {
      if (error instanceof DatabaseTimeout) this.#replace(reader);
      throw error;
    }
  }

  /** Its query goes on, and others would wait behind it. */
  #replace(reader: DatabaseThread): void {
    if (this.#reader !== reader || this.#abandoned >= maxAbandoned) return;
    this.#reader = this.#startReader();
    this.#abandoned += 1;
    void reader.close(0).then(() => {
      this.#abandoned -= 1;
    });
  }

  #startReader(): DatabaseThread {
    const reader = new DatabaseThread({ file: this.#file, cacheKibibytes: readerKibibytes });
    reader.ended.catch(() => {
      if (this.#reader === reader) this.#reader = this.#startReader();
    });
    return reader;
  }

  async ready(): Promise<void> {
    await Promise.all([this.#writer.ready, this.#reader.ready]);
  }

  async close(timeoutMs: number): Promise<void> {
    await Promise.all([this.#writer.close(timeoutMs), this.#reader.close(timeoutMs)]);
  }
}
