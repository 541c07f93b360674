/** What a page makes throw (no cookies, no storage, a frozen object) is as good as what it makes absent. */
export function attempt<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}
