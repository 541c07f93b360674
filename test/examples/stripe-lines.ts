import { isOld, type Payment, type PaymentLine } from "./stripe-payment.ts";

/** Returns the payment's lines. By default, one line has the whole amount. */
export function linesOf(payment: Payment): readonly PaymentLine[] {
  const { lines, amount, balance, uncaptured, tax, shipping } = payment;
  return lines ?? [{ product: "prod_1", amount: amount + balance + uncaptured - tax - shipping, tax }];
}

export const discountOf = (payment: Payment): number =>
  linesOf(payment).reduce((sum, { discount = 0 }) => sum + discount, 0);

/** Since API version basil, a line has its price and its taxes in other fields. */
export function invoiceLineOf({ api, promotion }: Payment, line: PaymentLine): object {
  const { product, amount, discount = 0, credit = 0, tax = 0, isTaxIncluded = false, quantity = 1 } = line;
  const discounts = discount > 0 && promotion ? [{ amount: discount, discount: promotion.discount }] : [];
  const credits = credit > 0 ? [{ amount: credit, credit_balance_transaction: "cbt_1" }] : [];
  const both = {
    amount,
    discount_amounts: discounts,
    discounts: [],
    pretax_credit_amounts: [
      ...discounts.map((each) => ({ ...each, type: "discount" })),
      ...credits.map((each) => ({ ...each, type: "credit_balance_transaction" })),
    ],
    quantity,
  };
  if (isOld(api)) {
    const taxes = [{ amount: tax, inclusive: isTaxIncluded, tax_rate: "txr_1" }];
    const price = product === null ? null : { id: "price_1", object: "price", product };
    return { ...both, price, tax_amounts: tax > 0 ? taxes : [] };
  }
  const taxes = [{ amount: tax, tax_behavior: isTaxIncluded ? "inclusive" : "exclusive", type: "tax_rate_details" }];
  const pricing = { price_details: { price: "price_1", product }, type: "price_details" };
  return { ...both, pricing: product === null ? null : pricing, taxes: tax > 0 ? taxes : [] };
}

/** The lines of a session. A session contains them only if it is retrieved with them. */
export const sessionLinesOf = (payment: Payment): object => ({
  object: "list",
  data: linesOf(payment).map(({ product, amount, discount = 0, tax = 0, isTaxIncluded, quantity = 1 }, i) => ({
    id: `li_${i + 1}`,
    object: "item",
    amount_discount: discount,
    amount_subtotal: amount,
    amount_tax: tax,
    amount_total: amount - discount + (isTaxIncluded ? 0 : tax),
    currency: payment.currency,
    description: "Pro",
    metadata: {},
    price: product === null ? null : { id: "price_1", object: "price", product },
    quantity,
  })),
  has_more: false,
});
