import type { Moving } from "./moving.ts";
import { gatherProgram, isDone, type MoveCall, placeChange, refuseMove, step } from "./place.ts";

/**
 * Ends a shard migration: the program stays on its shard, and the operator's command with this number, or a lower one,
 * can no longer freeze or move the program. When the call is repeated, it writes the clicks that were stored during the
 * migration.
 */
export interface AbandonMoveCall extends MoveCall {
  readonly kind: "abandon-move";
}

export const abandonMove: Moving<AbandonMoveCall, ReturnType<typeof gatherProgram>> = {
  ...step,
  kind: "abandon-move",
  gather: gatherProgram,

  decide({ programId, moveId, at }, { program }, context) {
    if (program?.place !== "here" && program?.place !== "leaving") return refuseMove("not_here");
    const stays = placeChange(program, { place: "here", leftTo: null, leaveBy: null, moveId });
    if (program.place === "here") {
      context.unholdClicks(programId);
      return moveId <= (program.moveId ?? 0) ? isDone(program) : stays;
    }
    return moveId < (program.moveId ?? 0) ? refuseMove("expired") : { ...stays, holdUntil: at };
  },
};
