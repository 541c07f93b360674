import type { Operation } from "../operation.ts";
import { gatherProgram, isDone, type MoveCall, refuseMove, step } from "./place.ts";

/**
 * Runs on the target's Ledger before the program leaves the source. It confirms that this Ledger uses the database with
 * the copied rows.
 */
export interface ConfirmMoveCall extends MoveCall {
  readonly kind: "confirm-move";
}

export const confirmMove: Operation<ConfirmMoveCall, ReturnType<typeof gatherProgram>, undefined> = {
  ...step,
  kind: "confirm-move",
  gather: gatherProgram,

  decide({ moveId }, { program }) {
    // A higher migration number is accepted here, because the source then rejects the next step. The program's place is
    // already `here` if the step `leave` is repeated.
    const hasArrived =
      program !== undefined &&
      (program.moveId ?? 0) >= moveId &&
      (program.place === "arriving" || program.place === "here");
    return hasArrived ? isDone(program) : refuseMove("not_arrived");
  },
};
