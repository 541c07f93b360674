/** Longer texts are not kept: nobody sends them often, and who makes them up would fill the memory. */
const maxLength = 512;

/** What texts that come again and again were read as: so many of them at most, and then afresh. */
export class Known<T> {
  readonly #most: number;
  readonly #values = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  get(text: string): T | undefined {
    return this.#values.get(text);
  }

  /** Returns the value. */
  keep(text: string, value: T): T {
    if (text.length > maxLength) return value;
    if (this.#values.size >= this.#most) this.#values.clear();
    this.#values.set(text, value);
    return value;
  }
}
