import type { SaleItem } from "../inputs.ts";
import { itemsOf, type NetLine } from "../processors/items.ts";
import { type Include, netOfInvoice, netOfSession } from "./amounts.ts";
import { type Invoice, type InvoiceLine, idOf, type Lines, type Session, type SessionLine } from "./objects.ts";

type Items = readonly SaleItem[] | undefined;

/** Returns the items of a session. `amount` is the sale's. */
export const itemsOfSession = (session: Session, include: Include, amount: number): Items =>
  itemsIn(session.line_items, (line) => netOfSessionLine(line, include), netOfSession(session, include), amount);

export const itemsOfInvoice = (invoice: Invoice, include: Include, amount: number): Items =>
  itemsIn(invoice.lines, (line) => netOfInvoiceLine(line, include), netOfInvoice(invoice, include), amount);

/** Undefined if the event doesn't contain all lines. */
const itemsIn = <Line>(
  lines: Lines<Line> | null | undefined,
  netOf: (line: Line) => NetLine,
  whole: number,
  amount: number,
): Items => (lines && !lines.has_more ? itemsOf(lines.data.map(netOf), whole, amount) : undefined);

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

/** Returns the taxes that a line's amount includes, and the taxes that are added to it. */
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
