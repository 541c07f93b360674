/** One value for each key, created on first use. Keys are compared by their texts. */
export function memo<Key, T>(make: (key: Key) => T): (key: Key) => T {
  const made = new Map<string, T>();
  return (key) => {
    const name = String(key);
    const known = made.get(name) ?? make(key);
    made.set(name, known);
    return known;
  };
}
