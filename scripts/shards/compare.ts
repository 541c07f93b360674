import type { Pace } from "./pace.ts";
import { type Places, type Range, readPairs } from "./pages.ts";
import type { Shape } from "./shapes.ts";

/** Of all tables together. */
const comparedRows = { first: 1_000, atLeast: 300, atMost: 2_000 };

/** Key use is written without a decision, even while the program leaves. */
export const isCompared = (column: string): boolean => column !== "last_used_at";

const comparedOf = ({ columns }: Shape): readonly string[] => columns.filter(isCompared);

export interface Compared {
  /** What differs in both databases, in any row or any character of one. */
  readonly differing: readonly Range[];
  /** How many rows of the source were compared, by table. */
  readonly rows: ReadonlyMap<string, number>;
}

/** Compares a page of each range at once, and then those after them. */
export async function compare(places: Places, ranges: readonly Range[], pace: Pace): Promise<Compared> {
  const steps = pace.steps(comparedRows);
  const differing: Range[] = [];
  const rows = new Map<string, number>();
  for (let left = ranges; left.length > 0; ) {
    try {
      const pairs = await steps.run((size) => readPairs(places, left, Math.ceil(size / left.length), comparedOf));
      left = left.flatMap((range, i) => {
        const { missing = [], extra = [], count = 0, next } = pairs[i] ?? {};
        const { name } = range.table;
        rows.set(name, (rows.get(name) ?? 0) + count);
        if (missing.length + extra.length > 0) differing.push({ ...range, until: next ?? range.until });
        return next === undefined ? [] : [{ ...range, after: next }];
      });
    } catch (error) {
      steps.shrinkAfter(error);
    }
  }
  return { differing, rows };
}
