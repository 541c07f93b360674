import type { Shard } from "./ids.ts";
import { maxShard } from "./shard.ts";

/** A configured shard. Home (shard 0) isn't one of them. */
export interface ShardAddress {
  readonly shard: Shard;
  readonly databaseUrl: string;
  /** Undefined if the shard may be anywhere. */
  readonly location: string | undefined;
  /** The id of the service that the database must belong to. */
  readonly installation: string;
}

export const shardLines = (shards: readonly ShardAddress[]): string =>
  shards
    .map(
      ({ shard, databaseUrl, location = "-", installation }) => `${shard} ${databaseUrl} ${location} ${installation}`,
    )
    .join("\n");

const line = /^(\d{1,3}) (\S+) (\S+) ([\w-]{8,64})$/;

/**
 * Parses one shard per line: `1 libsql://one.example weur <installation>`, with `-` for no location. Returns the first
 * invalid line if there is one.
 */
export function parseShards(text: string): readonly ShardAddress[] | { readonly faulty: string } {
  const shards: ShardAddress[] = [];
  for (const each of text.split("\n").map((part) => part.trim())) {
    if (each === "") continue;
    const [, number = "", databaseUrl = "", location = "", installation = ""] = line.exec(each) ?? [];
    const shard = Number(number);
    const isNew = !shards.some((other) => other.shard === shard || other.databaseUrl === databaseUrl);
    const isOfSame = shards.every((other) => other.installation === installation);
    if (!isOfSame || shard < 1 || shard > maxShard || !isNew || !URL.canParse(databaseUrl)) return { faulty: each };
    shards.push({ shard, databaseUrl, location: location === "-" ? undefined : location, installation });
  }
  return shards;
}

/** Cloudflare limits a variable to 5 kB. */
const recordsPerVariable = 60;

/** Writes the shards to `SHARDS`, continued in `SHARDS_2` and so on. */
export function shardVariables(shards: readonly ShardAddress[]): Readonly<Record<string, string>> {
  const variables: Record<string, string> = { SHARDS: shardLines(shards.slice(0, recordsPerVariable)) };
  for (let from = recordsPerVariable; from < shards.length; from += recordsPerVariable) {
    const records = shards.slice(from, from + recordsPerVariable);
    variables[`SHARDS_${from / recordsPerVariable + 1}`] = shardLines(records);
  }
  return variables;
}
