import type { ProgramId } from "#domain/ids.ts";
import type { Context, Decision, Gathered, GatheredReads, KeyedCall, Operation } from "../operation.ts";
import type { MoveCall } from "./place.ts";

/** Effects of a program's arrival on another shard, or of its staying after all. */
export interface MovingContext extends Context {
  /** New ids and numbers are above this one. */
  raiseIds(floor: number): void;
  /** New postings are not before this instant (ms). */
  raisePostings(at: number): void;
  /** Uses the former shard's keys for the digests of a program's visitors, by UTC day. */
  adoptVisitorKeys(programId: ProgramId, keys: Readonly<Record<string, string>>): void;
  /** Writes the clicks here that were held while the program might move. */
  unholdClicks(programId: ProgramId): void;
}

/** A move step, with the effects decided by it. */
export interface Moving<C extends MoveCall & KeyedCall, R extends GatheredReads> extends Operation<C, R, undefined> {
  decide(call: C, found: Gathered<R>, context: MovingContext): Decision<undefined>;
}
