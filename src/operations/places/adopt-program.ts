import { programById } from "#store/programs.ts";
import { highestFloor } from "#store/shard-identity.ts";
import type { Operation } from "../operation.ts";
import { isDone, type MoveCall, placeChange, refuseMove, step } from "./place.ts";

/** Of the target's Ledger, once the program has left its source. */
export interface AdoptProgramCall extends MoveCall {
  readonly kind: "adopt-program";
  /** The source's keys of visitors' digests, by UTC day. */
  readonly visitorKeys: Readonly<Record<string, string>>;
}

const gather = ({ programId }: AdoptProgramCall) => ({
  program: programById({ id: programId }),
  floor: highestFloor({}),
});

export const adoptProgram: Operation<AdoptProgramCall, ReturnType<typeof gather>, undefined> = {
  ...step,
  kind: "adopt-program",
  gather,

  decide({ programId, moveId, visitorKeys, at }, { program, floor }, context) {
    if (program === undefined || program.moveId !== moveId) return refuseMove("not_arrived");
    if (program.place !== "arriving") return isDone(program);
    // The program's ids go on rising.
    context.raiseIds(floor?.id ?? 0);
    context.adoptVisitorKeys(programId, visitorKeys);
    // Holds may have ended meanwhile.
    return { ...placeChange(program, { place: "here", leftTo: null, leaveBy: null, moveId }), holdUntil: at };
  },
};
