import { type Database, DatabaseError, type DatabaseFault } from "../store/database.ts";
import {
  claimStatements,
  decodeClaim,
  fenceOf,
  type NumberedTable,
  readPosition,
  type WriterPosition,
} from "../store/fenced-row.ts";
import type { Row, Statement } from "../store/statement.ts";

/** The database did not answer, or would not work for us. Whether a write was done is not known. */
export class Unreachable extends Error {
  override readonly name: string = "Unreachable";
}

/** The database says that it can't work, whatever it is asked: see `DatabaseFault`. */
export class Unable extends Unreachable {
  override readonly name = "Unable";
}

/** The database lacks what this writer wrote: it is a replica that lags, or was restored. A later claim tells which. */
export class Outdated extends Unreachable {
  override readonly name = "Outdated";
}

/** Another instance has become the writer, or the database is not the one that was claimed. This one may write no more. */
export class Superseded extends Error {
  override readonly name = "Superseded";
}

/** A statement that the database refuses: nothing of its batch was done. */
export class RefusedStatement extends Error {
  override readonly name = "RefusedStatement";
  readonly index: number;

  constructor(index: number, cause: unknown) {
    super(`statement ${index} was refused`, { cause });
    this.index = index;
  }
}

type Results = readonly (readonly Row[])[];

/** What time and chance are to the Ledger; passed in, so that a test can hold them. */
export interface Clock {
  now(): number;
  sleep(ms: number): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

/** After a passing fault a request is sent again, the first time soon, for at most this long in all. */
const patienceMs = 2_000;
const firstPauseMs = 25;

const supersededBy = "another writer has the place, or the database was restored";

/**
 * The one writer of the database. Each batch begins with the fence, so that it has its effect once however often it is
 * sent, and none at all once another instance has claimed the place.
 */
export class FencedWriter {
  readonly #database: Database;
  readonly #clock: Clock;
  /** The last batch that is known to be done; a claim is the first of its epoch, and has no number. */
  #done: WriterPosition | undefined;
  #sentSeq = 0;
  #lastIds: Record<NumberedTable, number> | undefined;
  #lastPosting = 0;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Whether it may write, as far as it knows. */
  get isClaimed(): boolean {
    return this.#lastIds !== undefined;
  }

  /** The number of the last batch that was sent: nothing that was read is newer. */
  get sentSeq(): number {
    return this.#sentSeq;
  }

  /**
   * Becomes the writer, under the epoch returned. `isContinued`: nobody else has been the writer since this one, and the
   * database was not restored. An instance that has not claimed before compares with what an earlier one remembered: its
   * epoch, and a batch that the database must have. After a passing fault it asks again for `patience` (ms).
   */
  async claim(
    remembered?: WriterPosition,
    patience = patienceMs,
  ): Promise<{ readonly epoch: number; readonly isContinued: boolean }> {
    this.#lastIds = undefined;
    const last = this.#done ?? remembered;
    // What is remembered counts a batch that was under way, which may never have arrived.
    const least = this.#done ?? (remembered && { ...remembered, seq: remembered.seq - 1 });
    const results = await this.#patiently(() => this.#send(claimStatements(least), "write"), patience);
    const { before, epoch, lastIds, lastPosting } = decodeClaim(results);
    const isContinued =
      before !== undefined &&
      before.epoch === last?.epoch &&
      before.seq >= last.seq &&
      (this.#done === undefined || before.seq <= this.#sentSeq);
    this.#done = { epoch, seq: 0 };
    this.#sentSeq = 0;
    this.#lastIds = lastIds;
    this.#lastPosting = lastPosting;
    return { epoch, isContinued };
  }

  /** The next id of a table. */
  newId(table: NumberedTable): number {
    if (this.#lastIds === undefined) throw new Error("ids are given out by the writer alone");
    this.#lastIds[table] += 1;
    return this.#lastIds[table];
  }

  /** The instant (ms) of the next ledger entry: a clock that is set back must not put it before an earlier one. */
  postingAt(): number {
    this.#lastPosting = Math.max(this.#lastPosting, this.#clock.now());
    return this.#lastPosting;
  }

  /** Reads in one request, of a database that has all that this writer has written before. */
  async read(statements: readonly Statement[]): Promise<Results> {
    const place = readPosition();
    return this.#patiently(async () => {
      const least = this.#done;
      const results = await this.#send([...statements, place], "read");
      this.#checkAge(place.decode(results[statements.length] ?? []), least);
      return results.slice(0, statements.length);
    });
  }

  /** What was read may be of a replica that lags, or of a database that was restored: nothing is decided by it. */
  #checkAge(found: WriterPosition | undefined, least: WriterPosition | undefined): void {
    // An instance that has yet to claim has nothing to compare with, and decides nothing.
    if (least === undefined) return;
    if (found === undefined || found.epoch < least.epoch || (found.epoch === least.epoch && found.seq < least.seq)) {
      throw new LackingCommit("the database lacks a commit");
    }
    if (found.epoch === least.epoch) return;
    // The later epoch may be our own: of a claim that was made meanwhile, or is being made.
    if (!this.isClaimed || this.#done?.epoch !== least.epoch) throw new PassingFault("claimed meanwhile");
    throw new Superseded(supersededBy);
  }

  /**
   * Writes all or nothing, once. Undefined: it was done, but what it returned is lost. Throws RefusedStatement (nothing
   * was done), Superseded (nothing was done, and never will be), Unreachable (not known; a later claim makes it known).
   */
  async write(writes: readonly Statement[]): Promise<Results | undefined> {
    if (this.#done === undefined) throw new Error("batches are written by the writer alone");
    const place = { epoch: this.#done.epoch, seq: this.#done.seq + 1 };
    this.#sentSeq = place.seq;
    // The same however often it is sent: under a later epoch of our own, one that was done would pass again.
    const batch = [fenceOf(place), ...writes];
    try {
      const [, ...results] = await this.#patiently(() => this.#send(batch, "write"));
      this.#done = place;
      return results;
    } catch (error) {
      if (!(error instanceof RefusedStatement)) {
        // Its place may be taken or not: only a claim tells.
        this.#lastIds = undefined;
        throw error;
      }
      if (error.index > 0) throw new RefusedStatement(error.index - 1, error.cause);
      await this.#wasOurs(place);
      this.#done = place;
      return undefined;
    }
  }

  /**
   * The fence did not let a batch pass: because it had passed before, because of another writer, or because the database
   * was restored. As a write, it is asked of the database that refused, not of a replica.
   */
  async #wasOurs({ epoch, seq }: WriterPosition): Promise<void> {
    const read = readPosition();
    const [rows] = await this.#patiently(() => this.#send([read], "write"));
    const found = read.decode(rows ?? []);
    if (found?.epoch !== epoch || found.seq !== seq) throw new Superseded(supersededBy);
  }

  async #patiently<T>(send: () => Promise<T>, patience = patienceMs): Promise<T> {
    const start = this.#clock.now();
    for (let pause = firstPauseMs; ; pause *= 2) {
      try {
        return await send();
      } catch (error) {
        const isPassing = error instanceof PassingFault;
        if (!isPassing) throw error;
        const waited = this.#clock.now() - start;
        // Below 0: the clock was set back, and no longer tells how long it has been.
        if (waited < 0 || waited + pause > patience) {
          throw error instanceof LackingCommit
            ? new Outdated("the database is older than its writer", { cause: error })
            : new Unreachable("the database is out of reach", { cause: error });
        }
        await this.#clock.sleep(pause * (0.5 + this.#clock.random()));
      }
    }
  }

  async #send(statements: readonly Statement[], mode: "read" | "write"): Promise<Results> {
    try {
      return await this.#database[mode](statements);
    } catch (error) {
      throw error instanceof DatabaseError ? translated(error, error.fault) : error;
    }
  }
}

/** Lock contention, or a fault on the way: the same request may be sent again at once. */
class PassingFault extends Error {
  override readonly name: string = "PassingFault";
}

/** What was read lacks a commit that is known to be done. */
class LackingCommit extends PassingFault {
  override readonly name = "LackingCommit";
}

function translated(error: DatabaseError, fault: DatabaseFault): Error {
  switch (fault.kind) {
    case "statement":
      return new RefusedStatement(fault.index, error.cause);
    case "refused":
      return new RefusedStatement(0, error.cause);
    case "unable":
      return new Unable("the database can't work", { cause: error });
    case "busy":
    case "unknown":
      return new PassingFault(fault.kind, { cause: error });
  }
}
