import { caps } from "#domain/caps.ts";
import type { ProgramId, Shard } from "#domain/ids.ts";
import { home, idsPerRange } from "#domain/shard.ts";
import { chooseShard, locationsOf } from "#domain/shard-choice.ts";
import { activeMembership, insertPlaceOfMember } from "#store/new-programs.ts";
import { newestShardOf, placeOfOperation, programCount, shardLoads } from "#store/places.ts";
import { type Call, type Operation, refuse } from "../operation.ts";
import { step } from "./place.ts";

/**
 * Chooses the shard of a new program. It runs on the Ledger of home (shard 0). The program is then created on the shard
 * in the answer.
 */
export interface PlaceProgramCall extends Call {
  readonly kind: "place-program";
  readonly actorId: string;
  readonly workspaceId: string;
  readonly websiteUrl: string | null;
  readonly location: string | undefined;
}

export type ProgramPlaced = { readonly shard: Shard; readonly programId: ProgramId } | { readonly shard: typeof home };

const gather = ({ operationId, workspaceId, actorId }: PlaceProgramCall) => ({
  done: placeOfOperation({ operationId }),
  creator: activeMembership({ workspaceId, actorId }),
  programs: programCount({ workspaceId }),
  newest: newestShardOf({ workspaceId }),
  shards: shardLoads({}),
});

export const placeProgram: Operation<PlaceProgramCall, ReturnType<typeof gather>, ProgramPlaced> = {
  ...step,
  kind: "place-program",
  gather,

  decide(call, { done, creator, programs, newest, shards }, context) {
    const placed = (answer: ProgramPlaced) => ({ kind: "commit", programId: 0, answer, writes: [] }) as const;
    if (done !== undefined) return placed({ shard: done.shard, programId: done.programId });
    if (creator === undefined) return refuse({ code: "not_a_member" });
    if (programs >= caps.programs.max) return refuse({ code: "cap_reached", cap: "programs" });
    const { operationId, actorId, workspaceId, websiteUrl, location, at } = call;
    const shard = chooseShard(shards, { location, own: newest?.shard });
    if (shard === undefined) {
      const message = `location must be one that listLocations returns: ${locationsOf(shards).join(", ") || "there is none"}`;
      return refuse({ code: "invalid_input", errors: [{ path: ["location"], message }] });
    }
    if (shard === home) return placed({ shard });
    const programId = shard * idsPerRange + context.newId("programs");
    const row = {
      programId,
      workspaceId,
      shard,
      operationId,
      websiteUrl,
      isArchived: false,
      moveId: null,
      createdAt: at,
    };
    return { ...placed({ shard, programId }), writes: [insertPlaceOfMember({ ...row, actorId })] };
  },
};
