import { programById } from "#store/programs.ts";
import type { Operation } from "../operation.ts";
import { isDone, type MoveCall, placeChange, refuseMove, step } from "./place.ts";

/** The other shard and home know. */
export interface FinishMoveCall extends MoveCall {
  readonly kind: "finish-move";
}

const gather = ({ programId }: FinishMoveCall) => ({ program: programById({ id: programId }) });

export const finishMove: Operation<FinishMoveCall, ReturnType<typeof gather>, undefined> = {
  ...step,
  kind: "finish-move",
  gather,

  decide({ moveId }, { program }) {
    if (program?.moveId !== moveId || program.place !== "left") return refuseMove("not_here");
    return program.leaveBy === null ? isDone(program) : placeChange(program, { ...program, leaveBy: null });
  },
};
