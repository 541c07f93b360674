import { type Itemized, itemsOf } from "./items.ts";
import type { Rule } from "./rules.ts";

/**
 * The most products that are counted. Products beyond this number are compared with the products that the rules name,
 * but not counted.
 */
const maxCounted = 10_000;
const maxListed = 20;

/** Finds products that rules name and no sale has. */
export class RuleProducts {
  readonly #named: ReadonlySet<string>;
  readonly #seen = new Set<string>();
  readonly #sold = new Map<string, number>();

  constructor(rules: readonly Rule[] | null) {
    this.#named = new Set(rules?.flatMap(({ when }) => when.productIds ?? []));
  }

  note(sale: Itemized): void {
    if (this.#named.size === 0) return;
    for (const { productId } of itemsOf(sale)) {
      if (productId === null) continue;
      if (this.#named.has(productId)) this.#seen.add(productId);
      if (this.#sold.has(productId) || this.#sold.size < maxCounted)
        this.#sold.set(productId, (this.#sold.get(productId) ?? 0) + 1);
    }
  }

  /** Products of the rules without a sale. */
  get unsold(): readonly string[] {
    return [...this.#named].filter((productId) => !this.#seen.has(productId));
  }

  /** The products with the most sales, if the rules name a product that has none. */
  get sold(): readonly string[] {
    if (this.unsold.length === 0) return [];
    return [...this.#sold]
      .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
      .slice(0, maxListed)
      .map(([productId]) => productId);
  }
}
