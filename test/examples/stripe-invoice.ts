import { address, isOld, type Payment, stripeId } from "./stripe-payment.ts";

export function invoiceOf(payment: Payment): object {
  const { api, amount: paid, customer, invoice, isRenewal, subscription, currency, shipping, livemode } = payment;
  const { subscriptionMetadata: metadata, at: now, trialEnd } = payment;
  if (invoice === null) throw new Error("paid without an invoice");
  const amount = paid + payment.balance;
  const beforeTax = amount - payment.tax;
  const both = {
    id: invoice,
    object: "invoice",
    account_country: "NL",
    account_name: "Shop",
    account_tax_ids: null,
    amount_due: paid,
    amount_paid: paid,
    amount_remaining: 0,
    amount_shipping: shipping,
    application: null,
    attempt_count: 1,
    attempted: true,
    auto_advance: false,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: null,
    billing_reason: subscription === null ? "manual" : isRenewal ? "subscription_cycle" : "subscription_create",
    collection_method: "charge_automatically",
    created: now,
    currency,
    custom_fields: null,
    customer,
    customer_address: address,
    customer_email: "buyer@shop.example",
    customer_name: "A. Buyer",
    customer_phone: null,
    customer_shipping: null,
    customer_tax_exempt: "none",
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    due_date: null,
    effective_at: now,
    ending_balance: 0,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: "https://invoice.stripe.com/i/acct_1/test_1",
    invoice_pdf: "https://pay.stripe.com/invoice/acct_1/test_1/pdf",
    issuer: { type: "self" },
    last_finalization_error: null,
    latest_revision: null,
    livemode,
    metadata: {},
    next_payment_attempt: null,
    number: "A1B2C3D4-0001",
    on_behalf_of: null,
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: now,
    period_start: now - (isRenewal ? 30 * 86_400 : 0),
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost:
      shipping > 0
        ? { amount_subtotal: shipping, amount_tax: 0, amount_total: shipping, shipping_rate: "shr_1" }
        : null,
    shipping_details: null,
    starting_balance: -payment.balance,
    statement_descriptor: null,
    status: "paid",
    status_transitions: { finalized_at: now, marked_uncollectible_at: null, paid_at: now, voided_at: null },
    subtotal: beforeTax,
    subtotal_excluding_tax: beforeTax,
    test_clock: null,
    total: amount,
    total_discount_amounts: [],
    total_excluding_tax: beforeTax,
    total_pretax_credit_amounts: [],
    webhooks_delivered_at: now,
  } as const;
  const line = {
    id: stripeId("il"),
    object: "line_item",
    amount,
    currency,
    description: "1 × Pro (at €49.00 / month)",
    discount_amounts: [],
    discountable: true,
    discounts: [],
    livemode,
    metadata: subscription === null ? {} : metadata,
    period: { end: now + 30 * 86_400, start: trialEnd ?? now },
    pretax_credit_amounts: [],
    quantity: 1,
  };
  const lines = (own: object) => ({
    object: "list",
    data: [{ ...line, ...own }],
    has_more: false,
    total_count: 1,
    url: `/v1/invoices/${invoice}/lines`,
  });
  if (isOld(api)) {
    return {
      ...both,
      application_fee_amount: null,
      charge: payment.charge,
      discount: null,
      lines: lines({
        amount_excluding_tax: amount,
        proration: false,
        proration_details: { credited_items: null },
        subscription,
        subscription_item: "si_1",
        tax_amounts: [],
        tax_rates: [],
        type: "subscription",
        unit_amount_excluding_tax: String(amount),
      }),
      paid: true,
      paid_out_of_band: false,
      payment_intent: payment.paymentIntent,
      quote: null,
      rendering_options: null,
      subscription,
      subscription_details: subscription === null ? null : { metadata },
      tax: payment.tax,
      total_tax_amounts: [],
      transfer_data: null,
    };
  }
  const current = {
    ...both,
    amount_overpaid: 0,
    confirmation_secret: null,
    customer_account: null,
    parent:
      subscription === null
        ? null
        : { quote_details: null, subscription_details: { metadata, subscription }, type: "subscription_details" },
    total_taxes: [],
  };
  const own = {
    invoice,
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: false,
        proration_details: { credited_items: null },
        subscription,
        subscription_item: "si_1",
      },
      type: "subscription_item_details",
    },
    pricing: {
      price_details: { price: "price_1", product: "prod_1" },
      type: "price_details",
      unit_amount_decimal: String(amount),
    },
    subscription,
    subtotal: amount,
    taxes: [],
  };
  return { ...current, lines: lines(own) };
}
