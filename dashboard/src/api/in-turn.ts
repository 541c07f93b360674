/** Does it with each, so many at a time, and answers in their order. */
export async function inTurn<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  doOne: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const worker = async () => {
    for (const [i, item] of waiting) results[i] = await doOne(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
