import type { Row, Statement } from "#store/statement.ts";

/** The database didn't answer or couldn't work. A write may have been done. */
export class Unreachable extends Error {
  override readonly name: string = "Unreachable";
}

export class Unable extends Unreachable {
  override readonly name = "Unable";
}

/**
 * The database lacks a commit of this writer: either it is a replica that lags behind, or it was restored. The next
 * claim shows which of the two.
 */
export class Outdated extends Unreachable {
  override readonly name = "Outdated";
}

/** Another instance has become the writer, or the database was restored. This instance must not write any more. */
export class Superseded extends Error {
  override readonly name = "Superseded";
}

/** The clock is wrong according to the database. Nothing was written. */
export class ClockWrong extends Unreachable {
  override readonly name = "ClockWrong";
}

export class RefusedStatement extends Error {
  override readonly name = "RefusedStatement";
  readonly index: number;

  constructor(index: number, cause: unknown) {
    super(`statement ${index} was refused`, { cause });
    this.index = index;
  }
}

export type Results = readonly (readonly Row[])[];

/** The only writer of the database. Each of its batches takes effect at most once. */
export interface Writer {
  readonly isClaimed: boolean;
  /** The number of the last batch that was sent. No read has seen the effects of a later batch. */
  readonly sentSeq: number;
  /** Sends the reads in one request. They run on a database that has all commits of this writer. */
  read(statements: readonly Statement[]): Promise<Results>;
  /**
   * Writes everything or nothing, and at most once. Returns undefined if the writes were done but their results were
   * lost.
   *
   * Throws:
   * - RefusedStatement: nothing was done.
   * - ClockWrong: nothing was done.
   * - Superseded: nothing was done, and nothing ever will be.
   * - Unreachable: unknown until the next claim.
   */
  write(writes: readonly Statement[]): Promise<Results | undefined>;
}

export interface Clock {
  now(): number;
  sleep(ms: number): Promise<void>;
  random(): number;
}
