import type { Row, Statement, Write } from "#store/statement.ts";
import type { Task } from "./task.ts";
import type { Clock } from "./writer.ts";

export interface InternalWrite {
  readonly writes: readonly Write[];
  /**
   * Writes that change data that calls lock. They come after the writes of the round's calls, and no reads are sent
   * until they are done.
   */
  readonly afterCalls?: readonly Write[];
  /**
   * A text that changes whenever some of the work is done. A duty that stays due while its mark doesn't change counts
   * as idle.
   */
  readonly mark?: string;
  onCommitted(): void;
  /** Called if the database refuses this write. The round continues without any of this duty's writes. */
  onRefused(write: Write): void;
}

/**
 * Result of a write that was sent alone. `unanswered`: it may have been done. `untried`: it couldn't be sent alone, or
 * the database is unavailable.
 */
export type IsolatedOutcome = "done" | "refused" | "unanswered" | "untried";
export type SubmitIsolated = (id: string, writesOf: () => readonly Write[]) => Promise<IsolatedOutcome>;

export interface Look {
  readonly read: Statement;
  found(rows: readonly Row[]): void;
}

export interface Taking {
  /** The fraction of its largest batch that a duty should write. It is smaller after rounds have failed. */
  readonly share: number;
  /** True if the round has other writes. */
  readonly isWriting: boolean;
  postpone(error: unknown): void;
}

/** Background work of the Ledger, which no call waits for. */
export interface Duty {
  /** The name in logs. */
  readonly name: string;
  /** Called first when the alarm rings. Must not use the database. Returns when there is work again (ms), if known. */
  begin?(): number | undefined;
  /** Returns a read that finds the due work. The reads of all duties are sent in one request. */
  look?(): Look | undefined;
  /** True if a round should run for this duty, even without calls. */
  readonly isDue?: boolean;
  /** Set if the duty also adds writes to rounds while it isn't due. */
  readonly joinsRounds?: true;
  /**
   * Returns the writes to commit with those of a round's calls. Called only if the duty is due or `joinsRounds` is set.
   */
  take?(taking: Taking): InternalWrite | undefined;
  /** Sends the duty's writes one by one, after a round with them has failed. Returns false if some are left. */
  isolate?(submit: SubmitIsolated): Promise<boolean>;
  /** Runs the duty's steps that are calls. Returns when the next steps are due (ms). */
  readonly run?: ((submit: (task: Task) => void) => Promise<number | undefined>) | undefined;
  /** When the duty's next writes are due (ms), according to its last read. */
  readonly nextAt?: number | undefined;
}

export interface DutyParts {
  readonly clock: Pick<Clock, "now">;
  /** Sets the alarm to a few seconds from now. */
  ringSoon(): void;
  report(event: string, error: unknown, id?: string): void;
}
