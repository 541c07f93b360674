import type { SaleItem } from "../inputs.ts";
import { isPrintableId } from "./keys.ts";
import { shareOf } from "./payment.ts";

/** A line of a payment in the processor's unit, without the parts that the sale leaves out. */
export interface NetLine {
  readonly productId: string | undefined;
  readonly net: number;
  readonly quantity: number | null | undefined;
}

const maxItems = 100;
const maxQuantity = 10_000;

/**
 * Returns the lines with their shares of the sale's amount, which may be less than `whole`. The remainder of rounding
 * goes to the next line. Undefined unless every line can be an item and their sum is `whole`, because the service would
 * refuse the sale for a wrong item, or compute a wrong commission from it.
 */
export function itemsOf(lines: readonly NetLine[], whole: number, amount: number): readonly SaleItem[] | undefined {
  const sold = lines.filter(({ net, quantity }) => net !== 0 || quantity !== 0);
  const sum = sold.reduce((before, { net }) => before + net, 0);
  if (sold.length > maxItems || !sold.every(isItem) || sum !== whole || !(whole > 0)) return undefined;
  let before = 0;
  return sold.map(({ productId, net, quantity }) => {
    const from = shareOf(amount, before, whole);
    before += net;
    return { productId, amount: shareOf(amount, before, whole) - from, quantity: quantity ?? 1 };
  });
}

const isItem = (line: NetLine): line is NetLine & { readonly productId: string } =>
  isPrintableId(line.productId) && isWholeWithin(line.net, 0) && isWholeWithin(line.quantity ?? 1, 1, maxQuantity);

const isWholeWithin = (value: number, min: number, max: number = Number.MAX_SAFE_INTEGER): boolean =>
  Number.isInteger(value) && value >= min && value <= max;
