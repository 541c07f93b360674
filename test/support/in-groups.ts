/** Makes calls in groups of `size`, because a service refuses some of several hundred parallel calls with 503. */
export async function inGroups<T, Sent>(
  items: readonly T[],
  size: number,
  send: (item: T) => Promise<Sent>,
): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (let from = 0; from < items.length; from += size)
    sent.push(...(await Promise.all(items.slice(from, from + size).map(send))));
  return sent;
}
