import type { Shard } from "#domain/ids.ts";
import { endMove, placeOfProgram, setShard } from "#store/places.ts";
import type { Operation } from "../operation.ts";
import { type MoveCall, refuseMove, step } from "./place.ts";

/** Runs on home's Ledger: records in the directory to which shard a program moved. An older move changes nothing. */
export interface SetPlaceCall extends MoveCall {
  readonly kind: "set-place";
  readonly shard: Shard;
}

const gather = ({ programId }: SetPlaceCall) => ({ place: placeOfProgram({ id: programId }) });

export const setPlace: Operation<SetPlaceCall, ReturnType<typeof gather>, undefined> = {
  ...step,
  kind: "set-place",
  gather,

  decide({ programId, moveId, shard, at }, { place }) {
    if (place === undefined) return refuseMove("not_here");
    const isNewer = (place.moveId ?? 0) < moveId;
    return {
      kind: "commit",
      programId,
      answer: undefined,
      writes: [
        ...(isNewer ? [setShard({ programId, shard, moveId })] : []),
        endMove({ id: moveId, state: "done", endedAt: at }),
      ],
      changes: { programId },
    };
  },
};
