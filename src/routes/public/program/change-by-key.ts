import type { Shard } from "#domain/ids.ts";
import type { Ctx } from "#http/context.ts";
import type { PresentedKey } from "#operations/operation.ts";

/** A change that the key makes. It was checked, so it is known where its program is. */
export function changeByKey(c: Ctx, key: PresentedKey) {
  const { programId } = key;
  const shard = c.get("log").shard as Shard;
  return {
    call: { ...c.get("call"), programId, actorId: null, key },
    program: { id: programId, shard },
  } as const;
}
