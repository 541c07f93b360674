import type Stripe from "stripe";
import { discountOf, invoiceLineOf, linesOf } from "./stripe-lines.ts";
import { address, isOld, type NamesOf, type Payment, stripeId } from "./stripe-payment.ts";

/** `withCodes` is true for an invoice that was retrieved with its promotion codes. */
export function invoiceOf(payment: Payment, withCodes = false): object {
  const { api, amount: paid, customer, invoice, isRenewal, subscription, currency, shipping, livemode } = payment;
  const { subscriptionMetadata: metadata, at: now, trialEnd, promotion } = payment;
  if (invoice === null) throw new Error("paid without an invoice");
  const amount = paid + payment.balance;
  const beforeTax = amount - payment.tax;
  const discount = discountOf(payment);
  const promotionCode = withCodes && promotion ? { ...promotion, object: "promotion_code" } : promotion?.id;
  const coupon = "coupon_1";
  const ofCode = promotion && {
    ...{ id: promotion.discount, object: "discount", promotion_code: promotionCode },
    ...(payment.api < "2025-09-30"
      ? { coupon: { id: coupon, object: "coupon" } }
      : { source: { type: "coupon", coupon } }),
  };
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
    discounts: promotion ? [promotion.discount] : [],
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
    subtotal: beforeTax + discount,
    subtotal_excluding_tax: beforeTax + discount,
    test_clock: null,
    total: amount,
    total_discount_amounts: ofCode ? [{ amount: discount, discount: withCodes ? ofCode : ofCode.id }] : [],
    total_excluding_tax: beforeTax,
    total_pretax_credit_amounts: [],
    webhooks_delivered_at: now,
  } as const satisfies NamesOf<Stripe.Invoice>;
  const line = {
    object: "line_item",
    currency,
    description: "1 × Pro (at €49.00 / month)",
    discountable: true,
    livemode,
    metadata: subscription === null ? {} : metadata,
    period: { end: now + 30 * 86_400, start: trialEnd ?? now },
  };
  const lines = (own: object) => ({
    object: "list",
    data: linesOf(payment).map((each) => ({
      ...line,
      ...own,
      ...invoiceLineOf(payment, each),
      id: stripeId("il"),
    })),
    has_more: false,
    total_count: 1,
    url: `/v1/invoices/${invoice}/lines`,
  });
  if (isOld(api)) {
    return {
      ...both,
      application_fee_amount: null,
      charge: payment.charge,
      discount: ofCode,
      lines: lines({
        proration: false,
        proration_details: { credited_items: null },
        subscription,
        subscription_item: "si_1",
        tax_rates: [],
        type: "subscription",
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
  } satisfies NamesOf<Stripe.Invoice>;
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
    subscription,
  };
  return { ...current, lines: lines(own) };
}
