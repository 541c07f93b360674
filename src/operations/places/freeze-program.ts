import type { Operation } from "../operation.ts";
import { gatherProgram, type MoveCall, placeChange, refuseMove, step } from "./place.ts";

/**
 * Stops all writes for a program until `leaveBy` (ms), unless it leaves before. Each number freezes a program once, and
 * may then postpone `leaveBy`, but not once a higher number has been seen.
 */
export interface FreezeProgramCall extends MoveCall {
  readonly kind: "freeze-program";
  readonly leaveBy: number;
}

export const freezeProgram: Operation<FreezeProgramCall, ReturnType<typeof gatherProgram>, undefined> = {
  ...step,
  kind: "freeze-program",
  gather: gatherProgram,

  decide({ programId, moveId, leaveBy }, { program }, context) {
    if (program?.place !== "here" && program?.place !== "leaving") return refuseMove("not_here");
    const isFrozen = program.place === "leaving" && program.moveId === moveId;
    if (!isFrozen && moveId <= (program.moveId ?? 0)) return refuseMove("expired");
    // Clicks from now on are kept for the shard that will have the program.
    if (context.keptClicksOf(programId) > 0) return refuseMove("clicks_waiting");
    return placeChange(program, { place: "leaving", leftTo: null, leaveBy, moveId });
  },
};
