/**
 * Legitimate texts are rarely longer. A caller could make up long ones to fill the memory, so of longer texts only the
 * latest is cached.
 */
const maxKeyLength = 512;

/** Values by recurring texts, such as results of parsing them. It is emptied when it is full. */
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
