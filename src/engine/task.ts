import type { Read, Write } from "#store/statement.ts";
import type { Locks } from "./lock-set.ts";
import type { QueuedCall } from "./queue.ts";

/** The reason why a call is refused. The engine itself uses only `internal` and `unavailable`. */
export interface Reason {
  readonly code: string;
  readonly retryAfterSeconds?: number;
}

/** Cached state that decisions depend on. */
export interface Setting {
  readonly key: string;
  reads(): readonly Read<unknown>[];
  /** Stores the values in the cache. `seq` is the newest batch that the values may come from. */
  learn(values: readonly unknown[], seq: number): void;
}

/** A change of settings. It lasts from before the write until the outcome of the write is known. */
export interface Change {
  begin(): void;
  /** The changed settings. They are read again in the same batch as the change. */
  settings(): readonly Setting[];
  end(): void;
}

export interface Commit {
  readonly kind: "commit";
  /** Sent to the caller once the writes are durable. Without writes, it is sent immediately. */
  readonly answer: unknown;
  readonly writes: readonly Write[];
  readonly resolveAnswer?: { readonly read: Read<unknown>; readonly answer: (found: unknown) => unknown };
  /** When the alarm must ring (ms). */
  readonly ringAt?: number | undefined;
  readonly change?: Change | undefined;
  readonly then?: Readonly<Record<string, unknown>>;
}

/** Further reads that a call needs before it can be decided. */
export type Missing = object;

export type Decision =
  | { readonly kind: "refuse"; readonly refusal: Reason }
  | { readonly kind: "retry"; readonly missing: Missing }
  | Commit;

export type Gathered = Readonly<Record<string, unknown>>;

/** A call as the engine handles it. */
export interface Task extends QueuedCall {
  readonly id: string;
  /** When the call arrived, by the engine's clock (ms). */
  readonly arrivedAt: number;
  readonly outcome: Promise<
    { readonly ok: true; readonly answer: unknown } | { readonly ok: false; readonly refusal: Reason }
  >;
  readonly isSettled: boolean;
  /** False if the line (program) may not exist. Anyone can invent such lines. */
  readonly isLineKnown: boolean;
  roundTrips: number;
  /** The number of times that the call was retried (`retryWith`). Being deferred doesn't count. */
  readonly attempts: number;
  /** The further reads that the call needs. Undefined if it has needed none so far. */
  readonly missing: Missing | undefined;
  /** Refuses a call that is known to fail, before it is queued or read for. Returns true if the call was refused. */
  reject(): boolean;
  /** Settings that the call needs and that aren't cached. */
  unread(): readonly Setting[];
  gather(): Readonly<Record<string, Read<unknown> | undefined>>;
  locks(found: Gathered): Locks;
  decide(found: Gathered): Decision;
  retryWith(missing: Missing): void;
  /** Adds the reads of another call of the same chain. This doesn't count as an attempt. */
  readAlso(missing: Missing): void;
  noteRows(found: number): void;
  defer(locks: Locks): void;
  /** Answers the call without the database. Returns false if that isn't possible. */
  keep(): boolean;
  answer(answer: unknown): void;
  refuse(refusal: Reason): void;
  fail(error: Error): void;
}
