import { programById } from "#store/programs.ts";
import { highestFloor } from "#store/shard-identity.ts";
import type { Moving } from "./moving.ts";
import { isDone, type MoveCall, placeChange, refuseMove, step } from "./place.ts";

/** Runs on the target's Ledger once the program has left the source. */
export interface AdoptProgramCall extends MoveCall {
  readonly kind: "adopt-program";
  /** The source's keys for visitor digests, by UTC day. */
  readonly visitorKeys: Readonly<Record<string, string>>;
  /** The latest posting instant by the source's clock (ms), which may be ahead. */
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
    // A migration with a higher number is copying the program to this shard, so the migration of this call never handed
    // the program over.
    if (program.moveId !== moveId && program.place === "arriving") return refuseMove("not_arrived");
    // The program may have been adopted by an earlier call, and even migrated again since then.
    if (program.moveId !== moveId || program.place !== "arriving") return isDone(program);
    // New ids of the program must be higher than its existing ids.
    context.raiseIds(floor?.id ?? 0);
    context.raisePostings(postedUntil);
    context.adoptVisitorKeys(programId, visitorKeys);
    return {
      ...placeChange(program, { place: "here", leftTo: null, leaveBy: null, moveId }),
      // Holds may have ended during the migration.
      holdUntil: at,
      // Replaces settings that were cached when the program was on this shard before.
      changes: { programId, ofPlace: "arrived" },
    };
  },
};
