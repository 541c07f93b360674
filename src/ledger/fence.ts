import { type Database, DatabaseError, type DatabaseFault } from "../store/database.ts";
import type { Row, Statement } from "../store/statement.ts";
import { claimStatements, decodeClaim, fenceOf, type Numbered, readWriter, writerName } from "../store/writer.ts";

/** The database did not answer, or would not work for us. Whether a write was done is not known. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

/** Another instance has become the writer. This one may write no more. */
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

/**
 * The one writer of the database. Each batch begins with the fence, so that it has its effect once however often it is
 * sent, and none at all once another instance has claimed the place.
 */
export class Writer {
  readonly #database: Database;
  readonly #clock: Clock;
  #epoch = 0;
  #seq = 0;
  #lastIds: Record<Numbered, number> | undefined;
  #lastPosting = 0;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Whether it may write, as far as it knows. */
  get isClaimed(): boolean {
    return this.#lastIds !== undefined;
  }

  /**
   * Becomes the writer, under the epoch returned: the next after its last one where nobody else has been it since. After a
   * passing fault it asks again for so long (ms).
   */
  async claim(patience = patienceMs): Promise<number> {
    const results = await this.#patiently(() => this.#send(claimStatements(), "write"), patience);
    const { epoch, lastIds, lastPosting } = decodeClaim(results);
    this.#epoch = epoch;
    this.#seq = 0;
    this.#lastIds = lastIds;
    this.#lastPosting = lastPosting;
    return epoch;
  }

  /** The next id of a table. */
  newId(table: Numbered): number {
    if (this.#lastIds === undefined) throw new Error("ids are given out by the writer alone");
    this.#lastIds[table] += 1;
    return this.#lastIds[table];
  }

  /** The instant (ms) of the next ledger entry: a clock that is set back must not put it before an earlier one. */
  postingAt(): number {
    this.#lastPosting = Math.max(this.#lastPosting, this.#clock.now());
    return this.#lastPosting;
  }

  async read(statements: readonly Statement[]): Promise<Results> {
    return this.#patiently(() => this.#send(statements, "read"));
  }

  /**
   * Writes all or nothing, once. Undefined: it was done, but what it returned is lost. Throws RefusedStatement (nothing
   * was done), Superseded (nothing was done, and never will be), Unreachable (not known; a later claim makes it known).
   */
  async write(writes: readonly Statement[]): Promise<Results | undefined> {
    const epoch = this.#epoch;
    const seq = this.#seq + 1;
    // The same however often it is sent: under a later epoch of our own, one that was done would pass again.
    const batch = [fenceOf(epoch, seq), ...writes];
    try {
      const [, ...results] = await this.#patiently(() => this.#send(batch, "write"));
      this.#seq = seq;
      return results;
    } catch (error) {
      if (error instanceof Unreachable) this.#lastIds = undefined;
      if (!(error instanceof RefusedStatement)) throw error;
      if (error.index > 0) throw new RefusedStatement(error.index - 1, error.cause);
      await this.#wasOurs(epoch, seq);
      this.#seq = seq;
      return undefined;
    }
  }

  /** The fence did not let a batch pass: either because it had passed before, or because of another writer. */
  async #wasOurs(epoch: number, seq: number): Promise<void> {
    const [rows] = await this.read([readWriter({ name: writerName })]);
    const writer = readWriter({ name: writerName }).decode(rows ?? []);
    if (writer?.epoch !== epoch || writer.seq !== seq) throw new Superseded("another writer has the place");
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
          throw new Unreachable("the database is out of reach", { cause: error });
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
  override readonly name = "PassingFault";
}

function translated(error: DatabaseError, fault: DatabaseFault): Error {
  switch (fault.kind) {
    case "statement":
      return new RefusedStatement(fault.index, error.cause);
    case "refused":
      return new RefusedStatement(0, error.cause);
    case "quota":
      return new Unreachable("the database refuses to work", { cause: error });
    case "busy":
    case "unknown":
      return new PassingFault(fault.kind, { cause: error });
  }
}
