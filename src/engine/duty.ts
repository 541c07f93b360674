import type { Row, Statement, Write } from "#store/statement.ts";
import type { Task } from "./task.ts";
import type { Clock } from "./writer.ts";

export interface InternalWrite {
  readonly writes: readonly Write[];
  /** Those that change what calls lock: they come after the round's calls, and nothing is read until they are done. */
  readonly afterCalls?: readonly Write[];
  /** Of a duty that stays due: differs from the last one once something of that is done. */
  readonly mark?: string;
  onCommitted(): void;
  /** The database refuses this one; the round goes on without all of them. */
  onRefused(write: Write): void;
}

/** `unanswered`: the write may have been done. `untried`: it was not sent by itself, or the database is away. */
export type IsolatedOutcome = "done" | "refused" | "unanswered" | "untried";
export type SubmitIsolated = (id: string, writesOf: () => readonly Write[]) => Promise<IsolatedOutcome>;

export interface Look {
  readonly read: Statement;
  found(rows: readonly Row[]): void;
}

export interface Taking {
  /** Of the most that it may write, smaller after rounds that failed. */
  readonly share: number;
  /** The round has other writes. */
  readonly isWriting: boolean;
  postpone(error: unknown): void;
}

/** Work that no call waits for. */
export interface Duty {
  /** For logs. */
  readonly name: string;
  /** When the alarm rings, before all else: may use no database. Returns when it has work again (ms), if it knows. */
  begin?(): number | undefined;
  /** Finds out what is due. All duties look in one request. */
  look?(): Look | undefined;
  /** Its writes are worth a round of their own. */
  readonly isDue?: boolean;
  /** Writes to be committed along with those of a round's calls. */
  take?(taking: Taking): InternalWrite | undefined;
  /** After a round with its writes failed: sends them one by one. Returns false if some are left to try. */
  isolate?(submit: SubmitIsolated): Promise<boolean>;
  /** Steps that are calls of their own. Returns when the next are due (ms). */
  readonly run?: ((submit: (task: Task) => void) => Promise<number | undefined>) | undefined;
  /** When its writes are due (ms), as far as it has looked. */
  readonly nextAt?: number | undefined;
}

export interface DutyParts {
  readonly clock: Pick<Clock, "now">;
  /** Has the alarm ring in a few seconds. */
  ringSoon(): void;
  report(event: string, error: unknown, id?: string): void;
}
