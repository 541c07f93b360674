import type { Shard } from "#domain/ids.ts";
import type { Operation } from "../operation.ts";
import { gatherProgram, isDone, type MoveCall, placeChange, refuseMove, step } from "./place.ts";

/**
 * Hands the program over: from this commit on, the target decides its calls. The source's Ledger notifies the target
 * and home (shard 0), and retries until both have confirmed.
 */
export interface LeaveProgramCall extends MoveCall {
  readonly kind: "leave-program";
  readonly to: Shard;
}

export const leaveProgram: Operation<LeaveProgramCall, ReturnType<typeof gatherProgram>, undefined> = {
  ...step,
  kind: "leave-program",
  gather: gatherProgram,

  decide({ moveId, to, at }, { program }) {
    if (program === undefined || program.moveId !== moveId) return refuseMove("not_here");
    if (program.place === "left" && program.leftTo === to) return isDone(program);
    if (program.place !== "leaving" || (program.leaveBy ?? 0) < at) return refuseMove("expired");
    return { ...placeChange(program, { ...program, place: "left", leftTo: to }), holdUntil: at };
  },
};
