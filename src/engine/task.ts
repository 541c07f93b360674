import type { Read, Write } from "#store/statement.ts";
import type { Locks } from "./lock-set.ts";
import type { QueuedCall } from "./queue.ts";

/** Reason of a refused call. The engine itself uses only `internal` and `unavailable`. */
export interface Reason {
  readonly code: string;
  readonly retryAfterSeconds?: number;
}

/** State that decides calls and is kept between rounds. */
export interface Setting {
  readonly key: string;
  reads(): readonly Read<unknown>[];
  /** `seq`: the newest batch that the values may come from. */
  learn(values: readonly unknown[], seq: number): void;
}

/** A change of settings, from before its write until its outcome is known. */
export interface Change {
  begin(): void;
  /** Settings to read in the batch of the change. */
  settings(): readonly Setting[];
  end(): void;
}

export interface Commit {
  readonly kind: "commit";
  /** Given once the writes are durable; without writes, at once. */
  readonly answer: unknown;
  readonly writes: readonly Write[];
  readonly resolveAnswer?: { readonly read: Read<unknown>; readonly answer: (found: unknown) => unknown };
  /** When the alarm must ring (ms). */
  readonly ringAt?: number | undefined;
  readonly change?: Change | undefined;
  readonly then?: Readonly<Record<string, unknown>>;
}

/** Further reads that a call needs. */
export type Missing = object;

export type Decision =
  | { readonly kind: "refuse"; readonly refusal: Reason }
  | { readonly kind: "retry"; readonly missing: Missing }
  | Commit;

export type Gathered = Readonly<Record<string, unknown>>;

/** A call on its way through the rounds. */
export interface Task extends QueuedCall {
  readonly id: string;
  /** By the engine's clock (ms). */
  readonly arrivedAt: number;
  readonly outcome: Promise<
    { readonly ok: true; readonly answer: unknown } | { readonly ok: false; readonly refusal: Reason }
  >;
  readonly isSettled: boolean;
  /** False if anyone can make up its line. */
  readonly isLineKnown: boolean;
  roundTrips: number;
  /** Calls of `retryWith`; a deferral is no attempt. */
  readonly attempts: number;
  /** Undefined: its first reads were enough so far. */
  readonly missing: Missing | undefined;
  /** Refuses a call that is known to fail, before it takes a place in a round. Returns true if it did. */
  reject(): boolean;
  /** Settings that it needs and that aren't cached. */
  unread(): readonly Setting[];
  gather(): Readonly<Record<string, Read<unknown> | undefined>>;
  locks(found: Gathered): Locks;
  decide(found: Gathered): Decision;
  retryWith(missing: Missing): void;
  /** Adds the reads of another call of its chain, which doesn't count as an attempt. */
  readAlso(missing: Missing): void;
  noteRows(found: number): void;
  defer(locks: Locks): void;
  /** Answers it without the database. Returns false if it can't. */
  keep(): boolean;
  answer(answer: unknown): void;
  refuse(refusal: Reason): void;
  fail(error: Error): void;
}
