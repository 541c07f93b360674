import type { Shard } from "./ids.ts";
import { home } from "./shard.ts";

export interface ShardOption {
  readonly number: Shard;
  readonly location: string | null;
  readonly isOpen: boolean;
  readonly programs: number;
}

/**
 * Chooses the shard of a new program: that of the workspace's newest program if the shard is open, otherwise the open
 * shard with the fewest programs. With `location`, only shards in that location are considered. If none is open,
 * returns undefined if `location` is given, and home (shard 0) if not.
 */
export function chooseShard(
  options: readonly ShardOption[],
  { location, own }: { readonly location: string | undefined; readonly own: Shard | undefined },
): Shard | undefined {
  const open = options.filter((each) => each.isOpen && (location === undefined || each.location === location));
  if (open.some(({ number }) => number === own)) return own;
  const [fewest] = open.toSorted((a, b) => a.programs - b.programs || a.number - b.number);
  return fewest?.number ?? (location === undefined ? home : undefined);
}

/** The locations in which programs can be created, in the order of shards. */
export const locationsOf = (options: readonly ShardOption[]): readonly string[] => [
  ...new Set(options.filter(({ isOpen }) => isOpen).flatMap(({ location }) => location ?? [])),
];
