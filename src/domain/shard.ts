import type { ProgramId, Shard } from "./ids.ts";

/** The shard that every service has. Its database also has the accounts and the directory of programs. */
export const home: Shard = 0;

/** A shard's ids start at its number times this value. */
export const idsPerRange = 1_000_000_000_000;

/**
 * The highest shard number. Ids stay below 2^53, even when doubled: a click id contains twice the program id, plus 1
 * for a test.
 */
export const maxShard: Shard = 999;

/** The shard on which a program was created. It may have been migrated since. */
export const shardOf = (programId: ProgramId): Shard => Math.floor(programId / idsPerRange);
