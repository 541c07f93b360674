/** Like `Promise.all` over `map`, with at most `limit` calls at a time. */
export async function mapConcurrent<Item, Result>(
  items: readonly Item[],
  limit: number,
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const worker = async () => {
    for (const [i, item] of waiting) results[i] = await map(item);
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return results;
}
