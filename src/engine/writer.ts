import type { Row, Statement } from "#store/statement.ts";

/** The database did not answer, or could not work. A write may have been done. */
export class Unreachable extends Error {
  override readonly name: string = "Unreachable";
}

export class Unable extends Unreachable {
  override readonly name = "Unable";
}

/** The database lacks a commit of this writer: it is a replica that lags, or was restored. A later claim tells which. */
export class Outdated extends Unreachable {
  override readonly name = "Outdated";
}

/** Another instance has become the writer, or the database was restored. This instance must not write any more. */
export class Superseded extends Error {
  override readonly name = "Superseded";
}

/** The clock is wrong, by what the database knows. Nothing was written. */
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

/** The database's only writer, each of whose batches takes effect once. */
export interface Writer {
  readonly isClaimed: boolean;
  /** The number of the last batch that was sent: no read has seen a later one. */
  readonly sentSeq: number;
  /** Reads in one request, from a database that has all commits of this writer. */
  read(statements: readonly Statement[]): Promise<Results>;
  /**
   * Writes all or nothing, once. Returns undefined if the writes were done but their results were lost. Throws
   * RefusedStatement (nothing was done), ClockWrong (nothing was done), Superseded (nothing was done or ever will be),
   * Unreachable (unknown until the next claim).
   */
  write(writes: readonly Statement[]): Promise<Results | undefined>;
}

export interface Clock {
  now(): number;
  sleep(ms: number): Promise<void>;
  random(): number;
}
