/** One value for each key, made on first use. Keys are the same if their texts are. */
export function memo<Key, T>(make: (key: Key) => T): (key: Key) => T {
  const made = new Map<string, T>();
  return (key) => {
    const name = String(key);
    const known = made.get(name) ?? make(key);
    made.set(name, known);
    return known;
  };
}
