import type { Operation } from "../operation.ts";
import { gatherProgram, isDone, type MoveCall, refuseMove, step } from "./place.ts";

/** Of the target's Ledger, before the program leaves its source: it serves the database that has the rows. */
export interface ConfirmMoveCall extends MoveCall {
  readonly kind: "confirm-move";
}

export const confirmMove: Operation<ConfirmMoveCall, ReturnType<typeof gatherProgram>, undefined> = {
  ...step,
  kind: "confirm-move",
  gather: gatherProgram,

  decide({ moveId }, { program }) {
    // A higher number is the source's to refuse. The program is here if its leaving is repeated.
    const hasArrived =
      program !== undefined &&
      (program.moveId ?? 0) >= moveId &&
      (program.place === "arriving" || program.place === "here");
    return hasArrived ? isDone(program) : refuseMove("not_arrived");
  },
};
