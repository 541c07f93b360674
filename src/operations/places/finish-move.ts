import type { Operation } from "../operation.ts";
import { gatherProgram, isDone, type MoveCall, placeChange, refuseMove, step } from "./place.ts";

/** Ends a migration on the source, after the target and home (shard 0) have been notified. */
export interface FinishMoveCall extends MoveCall {
  readonly kind: "finish-move";
}

export const finishMove: Operation<FinishMoveCall, ReturnType<typeof gatherProgram>, undefined> = {
  ...step,
  kind: "finish-move",
  gather: gatherProgram,

  decide({ moveId }, { program }) {
    if (program?.moveId !== moveId || program.place !== "left") return refuseMove("not_here");
    return program.leaveBy === null ? isDone(program) : placeChange(program, { ...program, leaveBy: null });
  },
};
