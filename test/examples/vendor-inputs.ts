// Parts of events that processors have sent.

/** The invoice in `invoice.paid` since Stripe's `2025-03-31.basil`. It has neither `payment_intent` nor `charge`. */
export const basilInvoice = (metadata: Readonly<Record<string, string>>, paidAt: number) => ({
  object: "invoice",
  id: "in_1",
  status: "paid",
  amount_paid: 4900,
  amount_due: 4900,
  total: 4900,
  total_excluding_tax: 4900,
  total_taxes: [],
  currency: "usd",
  billing_reason: "subscription_create",
  customer: "cus_1",
  metadata: {},
  parent: { type: "subscription_details", subscription_details: { subscription: "sub_1", metadata } },
  lines: { data: [], has_more: false },
  status_transitions: { paid_at: paidAt },
});

/**
 * The totals of Paddle's transaction for an upgrade from 15 to 20 USD. The unused part of the first price is a credit.
 */
export const creditedTotals = {
  subtotal: "2000",
  tax: "0",
  discount: "0",
  total: "2000",
  credit: "1499",
  credit_to_balance: "0",
  balance: "501",
  grand_total: "501",
  grand_total_tax: "0",
  currency_code: "USD",
} as const;

/** The lines of Paddle's transaction for ten seats, an add-on and a one-time charge, with a tax of 8.875 %. */
export const taxedLines = [
  { product: "pro_a", quantity: 10, tax: 2662, total: 32662 },
  { product: "pro_b", quantity: 1, tax: 887, total: 10887 },
  { product: "pro_c", quantity: 1, tax: 881, total: 10781 },
] as const;
