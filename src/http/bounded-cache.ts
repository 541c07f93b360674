/** Of longer texts only the last is kept: nobody sends them often, and who makes them up would fill the memory. */
const maxLength = 512;

/** What texts that come again and again were read as: so many of them at most, and then afresh. */
export class BoundedCache<T> {
  readonly #most: number;
  readonly #values = new Map<string, T>();
  #long: { readonly text: string; readonly value: T } | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  get(text: string): T | undefined {
    return this.#long?.text === text ? this.#long.value : this.#values.get(text);
  }

  /** Returns the value. */
  keep(text: string, value: T): T {
    if (text.length > maxLength) {
      this.#long = { text, value };
      return value;
    }
    if (this.#values.size >= this.#most) this.#values.clear();
    this.#values.set(text, value);
    return value;
  }
}
