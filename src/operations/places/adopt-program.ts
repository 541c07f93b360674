import { programById } from "#store/programs.ts";
import { highestFloor } from "#store/shard-identity.ts";
import type { Moving } from "./moving.ts";
import { isDone, type MoveCall, placeChange, refuseMove, step } from "./place.ts";

/** Runs on the target's Ledger, once the program has left its source. */
export interface AdoptProgramCall extends MoveCall {
  readonly kind: "adopt-program";
  /** The source's keys of visitors' digests, by UTC day. */
  readonly visitorKeys: Readonly<Record<string, string>>;
  /** By the source's clock (ms), which may be ahead. */
  readonly postedUntil: number;
}

const gather = ({ programId }: AdoptProgramCall) => ({
  program: programById({ id: programId }),
  floor: highestFloor({}),
});

export const adoptProgram: Moving<AdoptProgramCall, ReturnType<typeof gather>> = {
  ...step,
  kind: "adopt-program",
  gather,

  decide({ programId, moveId, visitorKeys, postedUntil, at }, { program, floor }, context) {
    if (program === undefined || (program.moveId ?? 0) < moveId) return refuseMove("not_arrived");
    // Nothing arrives by a higher number before this one has been handed over.
    if (program.moveId !== moveId && program.place === "arriving") return refuseMove("not_arrived");
    // The program may have moved on since.
    if (program.moveId !== moveId || program.place !== "arriving") return isDone(program);
    // The program's new ids must be above its existing ones.
    context.raiseIds(floor?.id ?? 0);
    context.raisePostings(postedUntil);
    context.adoptVisitorKeys(programId, visitorKeys);
    return {
      ...placeChange(program, { place: "here", leftTo: null, leaveBy: null, moveId }),
      // Holds may have ended in the meantime.
      holdUntil: at,
      // Settings cached from an earlier stay on this shard are replaced.
      changes: { programId, ofPlace: "arrived" },
    };
  },
};
