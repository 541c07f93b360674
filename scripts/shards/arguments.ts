import type { Shard } from "#domain/ids.ts";
import { maxShard } from "#domain/shard.ts";
import { parseFlags, UsageError } from "../../sdk/cli/flags.ts";
import { ExplainedError } from "../command.ts";
import type { Databases, ShardDatabase } from "../database/databases.ts";

/** Parses a shard's number. Throws a `UsageError`. `least` is 1 for a command that can't be used for the home shard. */
export function shardNumber(text: string | undefined, least: 0 | 1): Shard {
  if (text === undefined) throw new UsageError("Name the number of a shard.");
  const number = Number(text);
  if (/^\d{1,3}$/.test(text) && number >= least && number <= maxShard) return number;
  throw new UsageError(`"${text}" is not a shard's number from ${least} to ${maxShard}.`);
}

/** Reads the arguments of a command whose only argument is a shard's number. */
export function readShard(
  args: string[],
  least: 0 | 1,
): { readonly shard: Shard; readonly folder: string | undefined } {
  const { values, positionals } = parseFlags(args, { data: { type: "string" } }, 1);
  return { shard: shardNumber(positionals[0], least), folder: values.data };
}

export function requireConfigured(databases: Databases, shard: Shard): ShardDatabase {
  const found = databases.find((each) => each.shard === shard);
  if (found !== undefined) return found;
  throw new ExplainedError(
    `Shard ${shard} is not among the service's: ${databases.map((each) => each.shard).join(", ")}.`,
  );
}
