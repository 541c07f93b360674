import type { ProgramId, Shard } from "#domain/ids.ts";
import { shardOf } from "#domain/shard.ts";
import { configuredShard, type Env } from "#env.ts";
import { BoundedCache } from "./bounded-cache.ts";

/** Of programs that moved. A wrong one costs a call. */
const hints = new BoundedCache<Shard>(5_000);

/** The shard that a call about this program goes to first. */
export const shardOfProgram = (env: Env, programId: ProgramId): Shard =>
  configuredShard(env, hints.get(String(programId)) ?? shardOf(programId));

export const rememberShard = (programId: ProgramId, shard: Shard): void => void hints.set(String(programId), shard);
