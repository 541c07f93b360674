import type { Ctx } from "#http/context.ts";
import { shardOfProgram } from "#http/places.ts";
import type { PresentedKey } from "#operations/operation.ts";

/** A change that the key makes. It was checked, so it is known where its program is. */
export function changeByKey(c: Ctx, key: PresentedKey) {
  const { programId } = key;
  return {
    call: { ...c.get("call"), programId, actorId: null, key },
    program: { id: programId, shard: shardOfProgram(c.env, programId) },
  } as const;
}
