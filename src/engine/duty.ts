import type { Row, Statement, Write } from "#store/statement.ts";
import type { Task } from "./task.ts";
import type { Clock } from "./writer.ts";

export interface InternalWrite {
  readonly writes: readonly Write[];
  /**
   * Writes that change data locked by calls: they come after the round's calls, and nothing is read until they are
   * done.
   */
  readonly afterCalls?: readonly Write[];
  /** For a duty that stays due: changes whenever part of its work is done. */
  readonly mark?: string;
  onCommitted(): void;
  /** The database refuses this write; the round continues without all of them. */
  onRefused(write: Write): void;
}

/** `unanswered`: the write may have been done. `untried`: it was not sent alone, or the database is unavailable. */
export type IsolatedOutcome = "done" | "refused" | "unanswered" | "untried";
export type SubmitIsolated = (id: string, writesOf: () => readonly Write[]) => Promise<IsolatedOutcome>;

export interface Look {
  readonly read: Statement;
  found(rows: readonly Row[]): void;
}

export interface Taking {
  /** Fraction of its largest batch, smaller after rounds that failed. */
  readonly share: number;
  /** The round has other writes. */
  readonly isWriting: boolean;
  postpone(error: unknown): void;
}

/** Work that no call waits for. */
export interface Duty {
  /** For logs. */
  readonly name: string;
  /** Called first when the alarm rings; may not use the database. Returns when it has work again (ms), if known. */
  begin?(): number | undefined;
  /** Finds the due work. All duties are read in one request. */
  look?(): Look | undefined;
  /** Its writes justify a round without calls. */
  readonly isDue?: boolean;
  /** It also adds writes to rounds while it isn't due. */
  readonly joinsRounds?: true;
  /** Writes to commit together with those of a round's calls. Called only if it is due, or joins rounds. */
  take?(taking: Taking): InternalWrite | undefined;
  /** After a round with its writes failed: sends them one by one. Returns false if some are left to try. */
  isolate?(submit: SubmitIsolated): Promise<boolean>;
  /** Steps that are separate calls. Returns when the next are due (ms). */
  readonly run?: ((submit: (task: Task) => void) => Promise<number | undefined>) | undefined;
  /** When its writes are due (ms), as of its last look. */
  readonly nextAt?: number | undefined;
}

export interface DutyParts {
  readonly clock: Pick<Clock, "now">;
  /** Sets the alarm to ring in a few seconds. */
  ringSoon(): void;
  report(event: string, error: unknown, id?: string): void;
}
