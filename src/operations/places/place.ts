import type { MoveId, ProgramId } from "#domain/ids.ts";
import type { MoveRefusal } from "#domain/program-place.ts";
import type { PlaceColumns, PlaceOfRow } from "#store/program-place.ts";
import { programById, updatePlaceOfRow } from "#store/programs.ts";
import { type Call, type Commit, type Decision, refuse } from "../operation.ts";

/** A step of a shard migration. It runs on the source's Ledger, unless stated otherwise. Steps are idempotent. */
export interface MoveCall extends Call {
  readonly programId: ProgramId;
  readonly moveId: MoveId;
}

export const gatherProgram = ({ programId }: MoveCall) => ({ program: programById({ id: programId }) });

export const refuseMove = (reason: MoveRefusal): Decision<never> => refuse({ code: "move_refused", reason });

/**
 * Changes the program's place: its shard and the state of a migration. The cached settings include the place, so they
 * are read again.
 */
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

/** Properties that all steps share. Steps are decided even on a shard that doesn't have the program. */
export const step = {
  lane: "control",
  isExclusive: true,
  isOfAnyPlace: true,
  needs: () => [],
  locks: () => ({ exclusive: [] }),
} as const;
