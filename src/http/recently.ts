/** Remembers texts for `forMs` milliseconds. Remembers at most the latest `max` texts. */
export class Recently {
  readonly #forMs: number;
  readonly #max: number;
  readonly #notedAt = new Map<string, number>();

  constructor(forMs: number, max: number) {
    this.#forMs = forMs;
    this.#max = max;
  }

  note(text: string, at: number): void {
    // Deleting first moves the text to the end of the map's order.
    this.#notedAt.delete(text);
    this.#notedAt.set(text, at);
    const [oldest] = this.#notedAt.keys();
    if (this.#notedAt.size > this.#max && oldest !== undefined) this.#notedAt.delete(oldest);
  }

  has(text: string, at: number): boolean {
    const notedAt = this.#notedAt.get(text);
    return notedAt !== undefined && at - notedAt < this.#forMs;
  }
}
