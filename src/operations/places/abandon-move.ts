import type { Operation } from "../operation.ts";
import { gatherProgram, isDone, type MoveCall, placeChange, refuseMove, step } from "./place.ts";

/**
 * The program stays, and can't be frozen by this number or a lower one any more. Once that is stored, a repetition lets go of the clicks that
 * were held meanwhile.
 */
export interface AbandonMoveCall extends MoveCall {
  readonly kind: "abandon-move";
}

export const abandonMove: Operation<AbandonMoveCall, ReturnType<typeof gatherProgram>, undefined> = {
  ...step,
  kind: "abandon-move",
  gather: gatherProgram,

  decide({ programId, moveId, at }, { program }, context) {
    if (program === undefined || program.place === "left" || program.place === "arriving")
      return refuseMove("not_here");
    if (program.place === "here") {
      context.unholdClicks(programId);
      if (moveId <= (program.moveId ?? 0)) return isDone(program);
      return placeChange(program, { place: "here", leftTo: null, leaveBy: null, moveId });
    }
    if (program.moveId !== moveId) return refuseMove("not_here");
    return { ...placeChange(program, { place: "here", leftTo: null, leaveBy: null, moveId }), holdUntil: at };
  },
};
