import { shareOf } from "./money.ts";

/** One item of a sale. A sale without items is treated as one item with the sale's product. */
export interface SaleItem {
  readonly itemId: string;
  readonly productId: string | null;
  readonly amountCents: number;
  readonly quantity: number;
}

export const maxItems = 100;
export const maxQuantity = 10_000;

export interface Itemized {
  readonly amountCents: number;
  readonly productId: string | null;
  /** JSON of the items. Null if none were sent. */
  readonly items: string | null;
}

export const itemsOf = ({ amountCents, productId, items }: Itemized): readonly SaleItem[] =>
  items === null ? [{ itemId: "1", productId, amountCents, quantity: 1 }] : (JSON.parse(items) as SaleItem[]);

/**
 * The items of a corrected sale in JSON, scaled to the new amount. Remainders of rounding carry over to the next item,
 * so that the items add up to the amount.
 */
export function scaledItems(sale: Itemized, amountCents: number): string | null {
  if (sale.items === null || amountCents === sale.amountCents) return sale.items;
  let before = 0;
  const upTo = (cents: number) => shareOf(cents, amountCents, sale.amountCents);
  const scaled = itemsOf(sale).map((item) => {
    const from = upTo(before);
    before += item.amountCents;
    return { ...item, amountCents: upTo(before) - from };
  });
  return JSON.stringify(scaled);
}
