/** Returns a function that creates one value for each key, on first use. Keys are equal if their strings are. */
export function memo<Key, T>(make: (key: Key) => T): (key: Key) => T {
  const made = new Map<string, T>();
  return (key) => {
    const name = String(key);
    const known = made.get(name) ?? make(key);
    made.set(name, known);
    return known;
  };
}
