import type { ProgramId, Shard } from "#domain/ids.ts";
import { shardOf } from "#domain/shard.ts";
import { configuredShard, type Env } from "#env.ts";
import { BoundedCache } from "./bounded-cache.ts";
import type { Ctx } from "./context.ts";
import { perEnv } from "./per-env.ts";
import { Recently } from "./recently.ts";

/** The shards of programs that have moved. They are hints: a wrong hint only costs one more call. */
const hints = new BoundedCache<Shard>(5_000);

/** The shard to which a call about this program is sent first. */
export const shardOfProgram = (env: Env, programId: ProgramId): Shard =>
  configuredShard(env, hints.get(String(programId)) ?? shardOf(programId));

export const rememberShard = (programId: ProgramId, shard: Shard): void => void hints.set(String(programId), shard);

const movingMs = 5_000;
const maxMoving = 5_000;

/** Programs in a shard migration, according to a recent answer of a Ledger. */
const moving = perEnv(() => new Recently(movingMs, maxMoving));

export const rememberMoving = (c: Ctx, programId: ProgramId): void =>
  moving(c).note(String(programId), c.get("call").at);

export const isMoving = (c: Ctx, programId: ProgramId): boolean => moving(c).has(String(programId), c.get("call").at);
