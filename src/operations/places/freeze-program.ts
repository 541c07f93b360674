import type { Operation } from "../operation.ts";
import { gatherProgram, type MoveCall, placeChange, refuseMove, step } from "./place.ts";

/**
 * Ends all writes for a program until `leaveBy` (ms), unless it leaves before. Each number freezes a program once, and may then put
 * `leaveBy` off. It can't once a higher one has been heard of.
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
    // Those that come from now on are kept for wherever the program will be.
    if (context.keptClicksOf(programId) > 0) return refuseMove("clicks_waiting");
    return placeChange(program, { place: "leaving", leftTo: null, leaveBy, moveId });
  },
};
