import type { ProgramId } from "#domain/ids.ts";
import type { Context, Decision, Gathered, GatheredReads, KeyedCall, Operation } from "../operation.ts";
import type { MoveCall } from "./place.ts";

/** Effects of a step in memory, when a program arrives on a shard or stays after an abandoned migration. */
export interface MovingContext extends Context {
  /** Makes new ids and entry numbers higher than `floor`. */
  raiseIds(floor: number): void;
  /** Makes new posting instants no earlier than `at` (ms). */
  raisePostings(at: number): void;
  /** Uses the source's keys for the program's visitor digests, by UTC day. */
  adoptVisitorKeys(programId: ProgramId, keys: Readonly<Record<string, string>>): void;
  /** Writes to this shard's database the clicks that were stored during the migration. */
  unholdClicks(programId: ProgramId): void;
}

/** A step of a shard migration that also changes state in memory, as in `MovingContext`. */
export interface Moving<C extends MoveCall & KeyedCall, R extends GatheredReads> extends Operation<C, R, undefined> {
  decide(call: C, found: Gathered<R>, context: MovingContext): Decision<undefined>;
}
