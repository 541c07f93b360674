import type { ProgramId, Shard } from "./ids.ts";

/**
 * The state of a program on this shard, stored in the program's row. `here`: this shard decides for it. `leaving`: it
 * is being copied to another shard, and nothing is written. `left`: another shard decides for it. `arriving`: its rows
 * are being copied to this shard, and the other shard still decides.
 */
export const placeStates = ["here", "leaving", "left", "arriving"] as const;
export type PlaceState = (typeof placeStates)[number];

export interface ProgramPlace {
  readonly id: ProgramId;
  readonly place: PlaceState;
  /** The other shard, for `left` or `arriving`. */
  readonly leftTo: Shard | null;
  /**
   * A deadline (ms). For `leaving`, the program is `here` again after it. For `left`, it is set until the other shard
   * has confirmed the migration.
   */
  readonly leaveBy: number | null;
}

/**
 * The reason why a step of a shard migration is refused. `not_here`: the program is on another shard, or in another
 * migration. `clicks_waiting`: clicks from an outage aren't in the database yet. `expired`: the migration took too
 * long, or a newer one, with a higher number, has begun. `not_arrived`: the other shard has no rows of the program, or
 * isn't known.
 */
export type MoveRefusal = "not_here" | "clicks_waiting" | "expired" | "not_arrived";

/**
 * The reason why this shard doesn't decide for the program now. Undefined if it does, or if the program doesn't exist.
 */
export function placeRefusal(program: ProgramPlace | null | undefined): PlaceRefusal | undefined {
  // Settings stored for outages by an earlier version of the service lack the field `place`.
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
