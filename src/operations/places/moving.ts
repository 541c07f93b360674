import type { ProgramId } from "#domain/ids.ts";
import type { Context, Decision, Gathered, GatheredReads, KeyedCall, Operation } from "../operation.ts";
import type { MoveCall } from "./place.ts";

/** What a program brings along when it moves to another shard, or finds when it stays. */
export interface MovingContext extends Context {
  /** Ids and numbers go on above this one. */
  raiseIds(floor: number): void;
  /** Postings go on from this instant (ms). */
  raisePostings(at: number): void;
  /** Has a program's visitors known by the keys of the shard that it came from, by UTC day. */
  adoptVisitorKeys(programId: ProgramId, keys: Readonly<Record<string, string>>): void;
  /** Has clicks written here that were held while the program might move. */
  unholdClicks(programId: ProgramId): void;
}

/** A step that is decided with it. */
export interface Moving<C extends MoveCall & KeyedCall, R extends GatheredReads> extends Operation<C, R, undefined> {
  decide(call: C, found: Gathered<R>, context: MovingContext): Decision<undefined>;
}
