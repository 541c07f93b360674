import type { Shard } from "#domain/ids.ts";
import type { Databases } from "../database/databases.ts";
import type { Row } from "./invariant.ts";

export const acrossRules = {
  unknown: "shards of the service that are not among its databases",
  identity: "databases that are not those of their shard",
  range: "ids outside the range of their shard",
  twice: "ids that exist on two shards",
  elsewhere: "programs on another shard than the directory says",
  unlisted: "programs that the directory lacks",
  differing: "programs that the directory describes differently",
  lost: "programs of the directory that no shard has",
  codes: "codes of programs on other shards that home lacks, or has with another destination",
  open: "shard migrations that have been open for an hour: finish them by the same command, or abandon them",
  unlistedAccess: "accounts with access to a partner that home doesn't list for them",
  lostAccess: "partners that home lists for accounts that were never given access",
} as const;

/** A rule that is checked only with a file of erasures. */
export const erasedAgain = "rows of customers or partners who were erased";

/** A rule that is checked only with HASH_SECRET. */
export const foreignAddress = "partners whose address doesn't match its digest";

/** A shard with its opened database. */
export interface AuditedShard {
  readonly shard: Shard;
  read(sql: string, ...args: readonly (string | number)[]): Promise<readonly Row[]>;
}

export type AuditedShards = Databases<AuditedShard>;
