import type { Shard } from "#domain/ids.ts";
import type { Operation } from "../operation.ts";
import { gatherProgram, isDone, type MoveCall, placeChange, refuseMove, step } from "./place.ts";

/**
 * From this commit on the other shard decides. The source's Ledger notifies it, and home, until both have confirmed.
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
