/** Prepared statements by their text. Above `max`, the least recently used statement is discarded. */
export class StatementCache<Prepared> {
  /** The number of discarded statements since a caller last set it to 0. */
  discarded = 0;
  readonly #max: number;
  readonly #prepare: (sql: string) => Prepared;
  readonly #known = new Map<string, Prepared>();

  constructor(max: number, prepare: (sql: string) => Prepared) {
    this.#max = max;
    this.#prepare = prepare;
  }

  get(sql: string): Prepared {
    const known = this.#known.get(sql);
    const prepared = known ?? this.#prepare(sql);
    if (known !== undefined) this.#known.delete(sql);
    this.#known.set(sql, prepared);
    const [oldest] = this.#known.keys();
    if (this.#known.size > this.#max && oldest !== undefined) {
      this.#known.delete(oldest);
      this.discarded += 1;
    }
    return prepared;
  }

  clear(): void {
    this.#known.clear();
  }
}
