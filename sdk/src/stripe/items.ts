import type { SaleItem } from "../inputs.ts";
import { type Include, netOfInvoice, netOfSession, shareOf } from "./amounts.ts";
import { isPrintableId } from "./metadata.ts";
import { type Invoice, type InvoiceLine, idOf, type Lines, type Session, type SessionLine } from "./objects.ts";

/** A line, net of what the sale leaves out, in Stripe's unit. */
interface NetLine {
  readonly productId: string | undefined;
  readonly net: number;
  readonly quantity: number | null | undefined;
}

type Items = readonly SaleItem[] | undefined;

const maxItems = 100;
const maxQuantity = 10_000;

/** `amount`: the sale's. */
export const itemsOfSession = (session: Session, include: Include, amount: number): Items =>
  itemsOf(session.line_items, (line) => netOfSessionLine(line, include), netOfSession(session, include), amount);

export const itemsOfInvoice = (invoice: Invoice, include: Include, amount: number): Items =>
  itemsOf(invoice.lines, (line) => netOfInvoiceLine(line, include), netOfInvoice(invoice, include), amount);

/**
 * The lines with their shares of the sale's amount, which may be less than `whole`. What rounding leaves goes to the next
 * line. None unless every line can be an item, and all of them together are `whole`: a wrong item would earn a wrong
 * commission, or have the sale refused.
 */
function itemsOf<Line>(
  lines: Lines<Line> | null | undefined,
  netOf: (line: Line) => NetLine,
  whole: number,
  amount: number,
): Items {
  if (!lines || lines.has_more) return undefined;
  const sold = lines.data.map(netOf).filter(({ net, quantity }) => net !== 0 || quantity !== 0);
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

const netOfSessionLine = ({ amount_total, amount_tax, quantity, price }: SessionLine, include: Include): NetLine => ({
  productId: idOf(price?.product),
  net: amount_total - (include.includes("tax") ? 0 : amount_tax),
  quantity,
});

function netOfInvoiceLine(line: InvoiceLine, include: Include): NetLine {
  const { amount = Number.NaN, quantity, price, pricing, discount_amounts, pretax_credit_amounts } = line;
  const credits = pretax_credit_amounts?.filter(({ type }) => type === "credit_balance_transaction");
  const { included, added } = taxesOf(line);
  const tax = include.includes("tax") ? added : -included;
  return {
    productId: idOf(pricing?.price_details?.product ?? price?.product),
    net: amount - sumOf(discount_amounts) - sumOf(credits) + tax,
    quantity,
  };
}

/** Taxes that the line's amount includes, and those added to it. */
function taxesOf({ taxes, tax_amounts }: InvoiceLine) {
  const all = taxes ?? tax_amounts ?? [];
  const isIncluded = (tax: object) =>
    "tax_behavior" in tax ? tax.tax_behavior === "inclusive" : Object(tax).inclusive === true;
  return {
    included: sumOf(all.filter((tax) => isIncluded(tax))),
    added: sumOf(all.filter((tax) => !isIncluded(tax))),
  };
}

const sumOf = (amounts: readonly { readonly amount: number }[] | null | undefined): number =>
  (amounts ?? []).reduce((sum, { amount }) => sum + amount, 0);
