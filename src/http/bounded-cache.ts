/**
 * Legitimate texts are rarely longer. A caller could invent long texts to fill the memory, so only the latest text
 * above this length is cached.
 */
const maxKeyLength = 512;

/**
 * A cache of values by recurring text, such as the result of parsing the text. When the cache is full, it is emptied.
 */
export class BoundedCache<T> {
  readonly #maxEntries: number;
  readonly #values = new Map<string, T>();
  #latestLong: { readonly text: string; readonly value: T } | undefined;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get(text: string): T | undefined {
    return this.#latestLong?.text === text ? this.#latestLong.value : this.#values.get(text);
  }

  set(text: string, value: T): T {
    if (text.length > maxKeyLength) {
      this.#latestLong = { text, value };
      return value;
    }
    if (this.#values.size >= this.#maxEntries) this.#values.clear();
    this.#values.set(text, value);
    return value;
  }
}
