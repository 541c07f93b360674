import type { Operation } from "../operation.ts";
import { gatherProgram, type MoveCall, placeChange, refuseMove, step } from "./place.ts";

/**
 * Stops all writes for a program until `leaveBy` (ms), or until it leaves the shard. The operator's command for a
 * migration freezes the program once, with the migration's number. The command can extend `leaveBy` until a command
 * with a higher number has started.
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
    // Refused while stored clicks aren't in the database yet. Clicks that arrive after the freeze are stored until the
    // migration ends, and then written on the shard that has the program.
    if (context.keptClicksOf(programId) > 0) return refuseMove("clicks_waiting");
    return placeChange(program, { place: "leaving", leftTo: null, leaveBy, moveId });
  },
};
