export type CacheKey = string;

/** A map that drops its oldest entries once their total weight exceeds the limit. By default, each entry weighs 1. */
export class BoundedMap<T> extends Map<CacheKey, T> {
  readonly #limit: number;
  readonly #weightOf: (value: T) => number;
  #weight = 0;

  constructor(limit: number, weightOf: (value: T) => number = () => 1) {
    super();
    this.#limit = limit;
    this.#weightOf = weightOf;
  }

  override set(key: CacheKey, value: T): this {
    this.delete(key);
    super.set(key, value);
    this.#weight += this.#weightOf(value);
    for (const oldest of this.keys()) {
      if (this.#weight <= this.#limit) break;
      this.delete(oldest);
    }
    return this;
  }

  override delete(key: CacheKey): boolean {
    const value = this.get(key);
    if (value !== undefined) this.#weight -= this.#weightOf(value);
    return super.delete(key);
  }

  override clear(): void {
    this.#weight = 0;
    super.clear();
  }
}
