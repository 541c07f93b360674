import type { ProgramId, Shard } from "./ids.ts";

/** The shard that every service has: it also has the accounts, and the directory of programs. */
export const home: Shard = 0;

/** A shard's ids of any kind start at its number times this. */
export const idsPerRange = 1_000_000_000_000;

/** Highest number of a shard: ids stay below 2^53, and a click id holds twice the program's. */
export const maxShard: Shard = 999;

/** The shard on which a program was created. It may have moved since. */
export const shardOf = (programId: ProgramId): Shard => Math.floor(programId / idsPerRange);
