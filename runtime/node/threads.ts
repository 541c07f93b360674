import { Worker } from "node:worker_threads";
import { type BatchMode, SqlError, type SqlRow, type SqlStatement } from "./sql-connection.ts";
import {
  type BatchRequest,
  type ThreadAnswer,
  type ThreadData,
  type ThreadRequest,
  threadClock,
} from "./thread-messages.ts";

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * A database file in a separate thread. Requests wait in a queue. Those that arrive during a write become the next
 * round (one batched commit).
 */
export class DatabaseThread {
  readonly #worker: Worker;
  readonly #exited: Promise<unknown>;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #isClosed = false;
  readonly ready: Promise<void>;
  /** Rejects if the thread ends unexpectedly. Its pending calls then have an unknown outcome. */
  readonly ended: Promise<never>;

  constructor(data: ThreadData) {
    this.#worker = new Worker(new URL("./database-thread.ts", import.meta.url), {
      workerData: data,
      resourceLimits: { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 256 },
    });
    this.#exited = new Promise((resolve) => this.#worker.once("exit", resolve));
    this.ready = new Promise((resolve, reject) => {
      this.#waiting.set(0, { resolve: () => resolve(), reject });
    });
    this.#worker.on("message", (answer: ThreadAnswer) => this.#settle(answer));
    this.ended = new Promise((_, reject) => {
      const fail = (error: Error) => {
        for (const { reject: fail } of this.#waiting.values()) fail(error);
        this.#waiting.clear();
        if (!this.#isClosed) reject(error);
      };
      this.#worker.once("error", fail);
      this.#worker.once("exit", (code) => fail(new Error(`the database's thread ended with code ${code}`)));
    });
    // Marks these rejections as handled, because each waiting request also rejects.
    this.ended.catch(() => {});
    this.ready.catch(() => {});
  }

  batch(
    statements: readonly SqlStatement[],
    mode: BatchMode,
    timeoutMs: number,
  ): Promise<readonly (readonly SqlRow[])[]> {
    const sent = statements.map(({ sql, args }) => ({ sql, args }));
    const until = threadClock() + timeoutMs;
    return this.#ask({ kind: "batch", statements: sent, mode, until }, timeoutMs) as Promise<
      readonly (readonly SqlRow[])[]
    >;
  }

  /**
   * Closes the file and ends the thread after its earlier requests. The thread isn't terminated, because libsql aborts
   * the whole process if this happens during a call.
   */
  async close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#lastId += 1;
      this.#worker.postMessage({ id: this.#lastId, kind: "close" } satisfies ThreadRequest);
    }
    await this.#exited;
  }

  #ask(request: Omit<BatchRequest, "id">, timeoutMs: number): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new DatabaseTimeout());
      }, timeoutMs);
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer);
          settle(value);
        };
      this.#waiting.set(id, { resolve: settled(resolve), reject: settled(reject) });
      this.#worker.postMessage({ id, ...request } satisfies ThreadRequest);
    });
  }

  #settle({ id, result, fault }: ThreadAnswer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (fault === undefined) waiting?.resolve(result);
    else waiting?.reject(errorOf(fault));
  }
}

const errorOf = ({ message, code, statementIndex }: NonNullable<ThreadAnswer["fault"]>): Error =>
  code === undefined ? new Error(message) : new SqlError(message, code, statementIndex);

/** Thrown if a response takes too long. The request may still take effect. */
export class DatabaseTimeout extends Error {
  override readonly name = "DatabaseTimeout";

  constructor() {
    super("the database did not answer in time");
  }
}
