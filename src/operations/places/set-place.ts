import type { Shard } from "#domain/ids.ts";
import { endMove, placeOfProgram, setShard } from "#store/places.ts";
import type { Operation } from "../operation.ts";
import { type MoveCall, refuseMove, step } from "./place.ts";

/**
 * Records in the directory which shard a program was migrated to. It runs on the Ledger of home (shard 0). A migration
 * with a lower number than the recorded one doesn't change the shard.
 */
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
