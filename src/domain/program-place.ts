import type { ProgramId, Shard } from "./ids.ts";

/**
 * The place of a program, in its own row. `here`: only this shard decides for it. `leaving`: it is being copied, and
 * nothing is written for it. `left`: another shard decides for it. `arriving`: its rows are still being copied to this
 * shard, and the other shard decides.
 */
export const placeStates = ["here", "leaving", "left", "arriving"] as const;
export type PlaceState = (typeof placeStates)[number];

export interface ProgramPlace {
  readonly id: ProgramId;
  readonly place: PlaceState;
  /** The other shard, while it is `left` or `arriving`. */
  readonly leftTo: Shard | null;
  /** Once it has left: set until the other shard has begun. */
  readonly leaveBy: number | null;
}

/**
 * `not_here`: the program is on another shard, or in another move. `clicks_waiting`: its clicks kept during an outage
 * aren't written yet. `expired`: it stayed, because the move took too long, or another command has taken a higher
 * number. `not_arrived`: the service finds no rows of it on the other shard, which it may not know.
 */
export type MoveRefusal = "not_here" | "clicks_waiting" | "expired" | "not_arrived";

/** Why this shard doesn't decide for the program now. Undefined: it does, or the program doesn't exist. */
export function placeRefusal(program: ProgramPlace | null | undefined): PlaceRefusal | undefined {
  // A copy for outages stored by an earlier version has no place.
  if (program == null || (program.place ?? "here") === "here") return undefined;
  const { id: programId, place, leftTo, leaveBy } = program;
  const isUnderWay = leftTo === null || (place === "left" && leaveBy != null);
  return isUnderWay ? { code: "program_moving", programId } : { code: "program_moved", programId, shard: leftTo };
}

export const isOfPlace = (refusal: { readonly code: string }): refusal is PlaceRefusal =>
  refusal.code === "program_moving" || refusal.code === "program_moved";

export type PlaceRefusal =
  | { readonly code: "program_moving"; readonly programId: ProgramId }
  | { readonly code: "program_moved"; readonly programId: ProgramId; readonly shard: Shard };

export const moveStates = ["open", "done", "abandoned"] as const;
