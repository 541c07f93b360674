import { createHash } from "node:crypto";

/** A fixed sequence of numbers from 0 (inclusive) to 1 (exclusive). */
export class Random {
  readonly #seed: string;
  #drawn = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  next(): number {
    this.#drawn += 1;
    return createHash("sha256").update(`${this.#seed} ${this.#drawn}`).digest().readUInt32BE() / 2 ** 32;
  }

  isTrue(probability: number): boolean {
    return this.next() < probability;
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  /** Returns a random number. Most results are near `least`. */
  mostlyLow(least: number, most: number): number {
    return least + this.next() ** 3 * (most - least);
  }

  pick<T extends { readonly weight: number }>(choices: readonly T[]): T {
    let left = this.next() * choices.reduce((sum, { weight }) => sum + weight, 0);
    const picked = choices.find(({ weight }) => {
      left -= weight;
      return left < 0;
    });
    if (picked === undefined) throw new RangeError("there is nothing to pick from");
    return picked;
  }
}
