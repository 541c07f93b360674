import type { Shard } from "#domain/ids.ts";
import { ExplainedError } from "../command.ts";
import type { Database } from "./migrate.ts";

export interface ShardDatabase extends Database {
  readonly shard: Shard;
}

/** The databases of a service. The home database is the first. */
export type Databases<Each extends { readonly shard: Shard } = ShardDatabase> = readonly [
  home: Each,
  ...others: readonly Each[],
];

const atOnce = 8;

/**
 * Calls `use` for the other shards, several at a time, and for the home shard last. So the directory in the home
 * database never lists anything that isn't on its shard yet. If a shard fails, the shards after this group aren't
 * called. Returns the results in the order of the databases.
 */
export async function forEachShard<Each extends { readonly shard: Shard }, Result>(
  [first, ...others]: Databases<Each>,
  use: (database: Each) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < others.length; from += atOnce) {
    const settled = await Promise.allSettled(others.slice(from, from + atOnce).map((each) => named(each, use)));
    for (const each of settled) {
      if (each.status === "rejected") throw each.reason;
      results.push(each.value);
    }
  }
  return [await use(first), ...results];
}

async function named<Each extends { readonly shard: Shard }, Result>(
  each: Each,
  use: (database: Each) => Promise<Result>,
): Promise<Result> {
  try {
    return await use(each);
  } catch (error) {
    if (!(error instanceof ExplainedError)) throw error;
    throw new ExplainedError(`Shard ${each.shard}: ${error.message}`, { cause: error });
  }
}
