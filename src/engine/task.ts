import type { Refusal } from "../domain/refusal.ts";
import type {
  Context,
  Decision,
  GatheredReads,
  KeyedCall,
  Locks,
  Missing,
  Outcome,
  SettingRef,
} from "../operations/operation.ts";
import type { QueuedCall } from "./queue.ts";

export interface Task extends QueuedCall {
  readonly call: KeyedCall;
  /** By the Ledger's clock (ms). */
  readonly arrivedAt: number;
  readonly outcome: Promise<Outcome<unknown>>;
  readonly isSettled: boolean;
  roundTrips: number;
  /** Calls of `retryWith`; a deferral is no attempt. */
  readonly attempts: number;
  /** Undefined: its first reads were enough so far. */
  readonly missing: Missing | undefined;
  needs(): readonly SettingRef[];
  gather(): GatheredReads;
  locks(found: Readonly<Record<string, unknown>>): Locks;
  decide(found: Readonly<Record<string, unknown>>, context: Context): Decision<unknown>;
  retryWith(missing: Missing): void;
  /** Has it read what a call of its chain had to read, which isn't an attempt of its own. */
  readAlso(missing: Missing): void;
  noteRows(found: number): void;
  defer(locks: Locks): void;
  answer(answer: unknown, meta: TaskMeta): void;
  refuse(refusal: Refusal, meta?: TaskMeta): void;
  fail(error: Error): void;
}

export interface TaskMeta {
  readonly programId?: number | undefined;
  readonly keyRetiresAt?: number | undefined;
}
