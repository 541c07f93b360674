import { clockFault, type OtherTimes } from "#domain/clock-fault.ts";
import type { Shard } from "#domain/ids.ts";
import type { MachineClock } from "#domain/machine-clock.ts";
import { home, idsPerRange } from "#domain/shard.ts";
import {
  type Clock,
  ClockWrong,
  Outdated,
  RefusedStatement,
  type Results,
  Superseded,
  Unable,
  Unreachable,
  type Writer,
} from "#engine/writer.ts";
import { type Database, DatabaseError, type DatabaseFault } from "#store/database.ts";
import {
  claimStatements,
  decodeClaim,
  fenceOf,
  floorFor,
  type IdOf,
  type NumberedTable,
  readPosition,
  type WriterPosition,
} from "#store/fenced-row.ts";
import type { ShardIdentity } from "#store/shard-identity.ts";
import type { Statement } from "#store/statement.ts";

export interface FencedWriterOptions {
  /** If true, the clock isn't compared with other times, such as the database's. */
  readonly isClockSimulated?: boolean;
  readonly machineClock?: Omit<MachineClock, "take"> | undefined;
  /** The time for which an unanswered batch is sent again. Default: 2 s. */
  readonly retryForMs?: number;
  /** The identity that the database must have. Undefined accepts any database. */
  readonly expected?: ExpectedDatabase;
}

export interface ExpectedDatabase {
  readonly shard: Shard;
  /** Undefined for a service without further shards, whose database needs no identity. */
  readonly installation: string | undefined;
}

const retryForMs = 2_000;
const firstPauseMs = 25;

const supersededMessage = "another Ledger has become the writer, or the database was restored";

/**
 * The only writer of the database. Each batch begins with the fence: a statement that fails unless this instance is the
 * writer and the batch is the next one. However often a batch is sent, it therefore takes effect at most once, and not
 * at all after another instance has claimed the database.
 */
export class FencedWriter implements Writer {
  readonly #database: Database;
  readonly #clock: Clock;
  /** The last batch that is known to be applied. A claim is batch 0 of its epoch. */
  #lastApplied: WriterPosition | undefined;
  #sentSeq = 0;
  #lastIds: Record<NumberedTable, number> | undefined;
  #lastPosting = 0;
  readonly #isClockSimulated: boolean;
  readonly #machineClock: FencedWriterOptions["machineClock"];
  readonly #retryForMs: number;
  readonly #expected: ExpectedDatabase | undefined;

  constructor(
    database: Database,
    clock: Clock,
    {
      isClockSimulated = false,
      machineClock,
      retryForMs: ownRetryForMs = retryForMs,
      expected,
    }: FencedWriterOptions = {},
  ) {
    this.#retryForMs = ownRetryForMs;
    this.#expected = expected;
    this.#database = database;
    this.#clock = clock;
    this.#isClockSimulated = isClockSimulated;
    this.#machineClock = machineClock;
  }

  get isClaimed(): boolean {
    return this.#lastIds !== undefined;
  }

  get sentSeq(): number {
    return this.#sentSeq;
  }

  /**
   * Makes this instance the writer, with a new epoch. `isContinued` is true if, since this instance's previous claim,
   * no other writer has claimed the database and it wasn't restored. For its first claim, an instance passes
   * `remembered`: the epoch and the batch that an earlier instance stored.
   */
  async claim(
    remembered?: WriterPosition,
    retryFor = retryForMs,
  ): Promise<{ readonly epoch: number; readonly isContinued: boolean }> {
    this.#lastIds = undefined;
    const last = this.#lastApplied ?? remembered;
    // The remembered batch may have been sent without reaching the database, so the database needs to have only the
    // batch before it.
    const least = this.#lastApplied ?? (remembered && { ...remembered, seq: remembered.seq - 1 });
    const results = await this.#withRetry(() => this.#send(claimStatements(least), "write"), retryFor);
    const { before, epoch, identity, lastIds, lastPosting } = decodeClaim(results);
    this.#refuseForeign(identity);
    const isContinued =
      before !== undefined &&
      before.epoch === last?.epoch &&
      before.seq >= last.seq &&
      (this.#lastApplied === undefined || before.seq <= this.#sentSeq);
    // Checked before the position of this claim is stored. If the check fails, the next claim can still find out who
    // wrote before.
    this.#refuseWrongClock(this.#clock.now(), { ...before, newestPostingAt: lastPosting });
    this.#lastApplied = { epoch, seq: 0 };
    this.#sentSeq = 0;
    this.#lastIds = lastIds;
    this.#lastPosting = lastPosting;
    return { epoch, isContinued };
  }

  /** Detects swapped database addresses, with which two shards would write each other's data. */
  #refuseForeign(found: ShardIdentity | undefined): void {
    if (this.#expected === undefined) return;
    const { shard, installation } = this.#expected;
    const isRight =
      (found?.number ?? home) === shard && (installation === undefined || found?.installation === installation);
    if (isRight) return;
    const whose = found === undefined ? "of no shard" : `that of shard ${found.number} of ${found.installation}`;
    throw new Unable(`the database of shard ${shard} is ${whose}`);
  }

  #refuseWrongClock(at: number, others: OtherTimes): void {
    if (this.#isClockSimulated) return;
    const fault = clockFault(at, others);
    if (fault === undefined) this.#machineClock?.resume();
    else this.#machineClock?.suspend();
    const anyFault = fault ?? this.#machineClock?.fault(at);
    if (anyFault === undefined) return;
    // Ids and posting instants that were already assigned come from the wrong clock. The next claim reads them again.
    this.#lastIds = undefined;
    throw new ClockWrong(anyFault);
  }

  /** Makes no decisions until the next claim. */
  disown(): void {
    this.#lastIds = undefined;
  }

  /** Reserves `count` consecutive ids and returns the first. */
  newId<Table extends NumberedTable>(table: Table, count = 1): IdOf<Table> {
    if (this.#lastIds === undefined) throw new Error("only the writer assigns ids");
    const last = this.#lastIds[table];
    const next = last + count;
    // Ids of the next range may belong to another shard.
    if (Math.floor(next / idsPerRange) > Math.floor(last / idsPerRange))
      throw new Error(`no ids are left for ${table}`);
    this.#lastIds[table] = next;
    return last + 1;
  }

  /** Makes new ids higher than `floor`. */
  raiseIds(floor: number): void {
    if (this.#lastIds === undefined) throw new Error("only the writer assigns ids");
    for (const [table, last] of Object.entries(this.#lastIds) as [NumberedTable, number][]) {
      this.#lastIds[table] = Math.max(last, floorFor(table, floor));
    }
  }

  /** Makes new ledger entries no earlier than `at` (ms). */
  raisePostings(at: number): void {
    this.#lastPosting = Math.max(this.#lastPosting, at);
  }

  /**
   * The instant of the next ledger entry (ms). It is never earlier than that of a previous entry, even if the clock is
   * set back.
   */
  postingAt(): number {
    this.#lastPosting = Math.max(this.#lastPosting, this.#clock.now());
    return this.#lastPosting;
  }

  async read(statements: readonly Statement[]): Promise<Results> {
    const place = readPosition();
    return this.#withRetry(async () => {
      const least = this.#lastApplied;
      const results = await this.#send([...statements, place], "read");
      this.#checkFreshness(place.decode(results[statements.length] ?? []), least);
      return results.slice(0, statements.length);
    });
  }

  #checkFreshness(found: WriterPosition | undefined, least: WriterPosition | undefined): void {
    // Before its first claim, an instance has no batch to compare with, and makes no decisions.
    if (least === undefined) return;
    if (found === undefined || found.epoch < least.epoch || (found.epoch === least.epoch && found.seq < least.seq)) {
      throw new MissingCommit("the database lacks a commit");
    }
    if (found.epoch === least.epoch) return;
    // The later epoch may come from another claim by this instance, made during this read or still unanswered.
    if (!this.isClaimed || this.#lastApplied?.epoch !== least.epoch) throw new TransientFault("claimed since then");
    throw new Superseded(supersededMessage);
  }

  async write(writes: readonly Statement[]): Promise<Results | undefined> {
    if (this.#lastApplied === undefined) throw new Error("only the writer writes batches");
    const at = this.#clock.now();
    this.#refuseWrongClock(at, {});
    const place = { epoch: this.#lastApplied.epoch, seq: this.#lastApplied.seq + 1 };
    this.#sentSeq = place.seq;
    // Every attempt has the same epoch and number. If a later attempt had a later epoch, a batch that was already
    // applied would be applied again.
    const row = { at, committedAt: this.#isClockSimulated ? null : at, number: this.#lastIds?.ledgerEntries ?? 0 };
    const batch = [fenceOf(place, row), ...writes];
    try {
      const [, ...results] = await this.#withRetry(() => this.#send(batch, "write"), this.#retryForMs);
      this.#lastApplied = place;
      return results;
    } catch (error) {
      if (!(error instanceof RefusedStatement)) {
        // The batch may have been applied. Only the next claim shows whether it was.
        this.#lastIds = undefined;
        throw error;
      }
      if (error.index > 0) throw new RefusedStatement(error.index - 1, error.cause);
      await this.#confirmApplied(place, at);
      this.#lastApplied = place;
      return undefined;
    }
  }

  /**
   * Called if the fence rejected a batch. Returns if an earlier attempt had applied the batch, and otherwise throws.
   * The read is sent as a write, so that the primary database answers it and not a replica.
   */
  async #confirmApplied({ epoch, seq }: WriterPosition, at: number): Promise<void> {
    const read = readPosition();
    const [rows] = await this.#withRetry(() => this.#send([read], "write"));
    const found = read.decode(rows ?? []);
    if (found?.epoch === epoch && found.seq === seq) return;
    if (found?.epoch === epoch && found.seq === seq - 1) {
      this.#refuseWrongClock(at, found);
    }
    throw new Superseded(supersededMessage);
  }

  async #withRetry<T>(send: () => Promise<T>, retryFor = retryForMs): Promise<T> {
    const start = this.#clock.now();
    for (let pause = firstPauseMs; ; pause *= 2) {
      try {
        return await send();
      } catch (error) {
        if (!(error instanceof TransientFault)) throw error;
        const waited = this.#clock.now() - start;
        // `waited` is negative if the clock was set back. The real waiting time is then unknown.
        if (waited < 0 || waited + pause > retryFor) {
          throw error instanceof MissingCommit
            ? new Outdated("the database is older than its writer", { cause: error })
            : new Unreachable("the database is unreachable", { cause: error });
        }
        await this.#clock.sleep(pause * (0.5 + this.#clock.random()));
      }
    }
  }

  async #send(statements: readonly Statement[], mode: "read" | "write"): Promise<Results> {
    try {
      return await this.#database[mode](statements);
    } catch (error) {
      throw error instanceof DatabaseError ? classify(error, error.fault) : error;
    }
  }
}

class TransientFault extends Error {
  override readonly name: string = "TransientFault";
}

class MissingCommit extends TransientFault {
  override readonly name = "MissingCommit";
}

function classify(error: DatabaseError, fault: DatabaseFault): Error {
  switch (fault.kind) {
    case "statement":
      return new RefusedStatement(fault.index, error.cause);
    case "refused":
      return new RefusedStatement(0, error.cause);
    case "unable":
      return new Unable("the database can't work", { cause: error });
    case "busy":
    case "unknown":
      return new TransientFault(fault.kind, { cause: error });
  }
}
