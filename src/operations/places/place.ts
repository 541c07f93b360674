import type { MoveId, ProgramId } from "#domain/ids.ts";
import type { MoveRefusal } from "#domain/program-place.ts";
import type { PlaceColumns, PlaceOfRow } from "#store/program-place.ts";
import { programById, updatePlaceOfRow } from "#store/programs.ts";
import { type Call, type Commit, type Decision, refuse } from "../operation.ts";

/** A step of a shard migration, on its source's Ledger unless noted. Repeating a step changes nothing. */
export interface MoveCall extends Call {
  readonly programId: ProgramId;
  readonly moveId: MoveId;
}

export const gatherProgram = ({ programId }: MoveCall) => ({ program: programById({ id: programId }) });

export const refuseMove = (reason: MoveRefusal): Decision<never> => refuse({ code: "move_refused", reason });

/** Settings decide calls, so each change of them is stored as a change of the place too. */
export const placeChange = ({ id }: PlaceOfRow, columns: PlaceColumns): Commit<undefined> => ({
  kind: "commit",
  programId: id,
  answer: undefined,
  writes: [updatePlaceOfRow({ id, ...columns })],
  holdUntil: columns.leaveBy ?? undefined,
  changes: { programId: id, ofPlace: "changed" },
});

export const isDone = ({ id }: PlaceOfRow): Commit<undefined> => ({
  kind: "commit",
  programId: id,
  answer: undefined,
  writes: [],
});

/** Common to all steps. They are decided on any shard. */
export const step = {
  lane: "control",
  isExclusive: true,
  isOfAnyPlace: true,
  needs: () => [],
  locks: () => ({ exclusive: [] }),
} as const;
