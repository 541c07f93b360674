import type { ProgramId, Shard } from "#domain/ids.ts";
import { shardOf } from "#domain/shard.ts";
import { configuredShard, type Env } from "#env.ts";

/** The shard that a call about this program goes to first. */
export const shardOfProgram = (env: Env, programId: ProgramId): Shard => configuredShard(env, shardOf(programId));
