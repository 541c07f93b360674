import type { Sale } from "./figures.ts";

export interface Joined {
  /** Sales that only one side has, by id. */
  readonly theirs: Map<string, Sale>;
  readonly ours: Map<string, Sale>;
}

/**
 * Matches two lists of sales by id. Both are approximately newest first. Advances the list whose next sale is newer, so
 * that only unmatched sales are kept in memory.
 */
export async function join(
  theirs: AsyncIterator<Sale, undefined>,
  ours: AsyncIterator<Sale, undefined>,
  onMatch: (theirs: Sale, ours: Sale) => void,
): Promise<Joined> {
  const left: Joined = { theirs: new Map(), ours: new Map() };
  let [their, our] = [await theirs.next(), await ours.next()];
  while (!their.done || !our.done) {
    if (our.done || (!their.done && their.value.at >= our.value.at)) {
      const { value: sale } = their as IteratorYieldResult<Sale>;
      const match = left.ours.get(sale.id);
      if (match) onMatch(sale, match);
      else left.theirs.set(sale.id, sale);
      left.ours.delete(sale.id);
      their = await theirs.next();
    } else {
      const { value: sale } = our;
      const match = left.theirs.get(sale.id);
      if (match) onMatch(match, sale);
      else left.ours.set(sale.id, sale);
      left.theirs.delete(sale.id);
      our = await ours.next();
    }
  }
  return left;
}
