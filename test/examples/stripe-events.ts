import { randomUUID } from "node:crypto";
import type Stripe from "stripe";

// Stripe's events as they come over the wire, whole. Until 2025-03-31 an invoice named its charge, its payment and its
// subscription, and a charge its invoice; since then an invoice names its subscription elsewhere, and a charge nothing.

export const apiVersions = ["2024-06-20", "2026-10-28.endive"] as const;
export type StripeApi = (typeof apiVersions)[number];

const isOld = (api: StripeApi) => api === "2024-06-20";

export interface StripeEventJson {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly object: object };
}

const stripeId = (kind: string) => `${kind}_1S${randomUUID().replaceAll("-", "").slice(0, 22)}`;
const secondsNow = () => Math.floor(Date.now() / 1_000);

function eventOf(api: StripeApi, type: string, object: object): StripeEventJson {
  const event = {
    id: stripeId("evt"),
    object: "event",
    api_version: api,
    created: secondsNow(),
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  };
  return event;
}

/** What was paid, and the ids under which Stripe keeps it. */
export interface Payment {
  readonly api: StripeApi;
  readonly amount: number;
  readonly customer: string;
  readonly paymentIntent: string;
  readonly charge: string;
  /** Null: paid once, without an invoice. */
  readonly invoice: string | null;
  readonly subscription: string | null;
  readonly isRenewal: boolean;
  /** What the shop put on the session, and on the subscription. */
  readonly metadata: Record<string, string>;
}

type PaymentOptions = Pick<Payment, "api" | "metadata"> & Partial<Payment>;

export const paidOnce = (options: PaymentOptions): Payment => ({
  amount: 4_900,
  customer: stripeId("cus"),
  paymentIntent: stripeId("pi"),
  charge: stripeId("ch"),
  invoice: null,
  subscription: null,
  isRenewal: false,
  ...options,
});

export const subscribed = (options: PaymentOptions): Payment =>
  paidOnce({ invoice: stripeId("in"), subscription: stripeId("sub"), ...options });

/** The same subscription, a month later. */
export const renewed = (first: Payment): Payment => ({
  ...first,
  paymentIntent: stripeId("pi"),
  charge: stripeId("ch"),
  invoice: stripeId("in"),
  isRenewal: true,
});

const address = { city: null, country: "NL", line1: null, line2: null, postal_code: null, state: null };

export function checkoutCompleted(payment: Payment, over: Partial<Stripe.Checkout.Session> = {}): StripeEventJson {
  const { api, amount, customer, invoice, subscription, metadata, paymentIntent } = payment;
  const isSubscription = subscription !== null;
  const session = {
    id: stripeId("cs_test"),
    object: "checkout.session",
    adaptive_pricing: { enabled: true },
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: null,
    amount_subtotal: amount,
    amount_total: amount,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: "https://shop.example/",
    client_reference_id: metadata.svc_customer_key ?? null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: secondsNow(),
    currency: "eur",
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer,
    customer_account: null,
    customer_creation: isSubscription ? "always" : "if_required",
    customer_details: {
      address: { ...address, line2: null },
      business_name: null,
      email: "buyer@shop.example",
      individual_name: null,
      name: "A. Buyer",
      phone: null,
      tax_exempt: "none",
      tax_ids: [],
    },
    customer_email: null,
    discounts: [],
    expires_at: secondsNow() + 86_400,
    integration_identifier: null,
    invoice,
    invoice_creation: null,
    livemode: false,
    locale: null,
    managed_payments: { enabled: false },
    metadata,
    mode: isSubscription ? "subscription" : "payment",
    origin_context: null,
    payment_intent: isSubscription ? null : paymentIntent,
    payment_link: null,
    payment_method_collection: isSubscription ? "always" : "if_required",
    payment_method_configuration_details: null,
    payment_method_options: { card: { request_three_d_secure: "automatic" } },
    payment_method_types: ["card"],
    payment_status: "paid",
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: "complete",
    submit_type: null,
    subscription,
    success_url: "https://shop.example/",
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: "hosted",
    url: null,
    wallet_options: null,
    ...over,
  } satisfies Stripe.Checkout.Session;
  const { allowed_payment_method_types, customer_account, integration_identifier, managed_payments, ...old } = session;
  return eventOf(api, "checkout.session.completed", isOld(api) ? { ...old, shipping_details: null } : session);
}

export function invoicePaid(payment: Payment): StripeEventJson {
  const { api, amount, customer, invoice, isRenewal, subscription, metadata } = payment;
  if (invoice === null || subscription === null) throw new Error("paid without an invoice");
  const now = secondsNow();
  const both = {
    id: invoice,
    object: "invoice",
    account_country: "NL",
    account_name: "Shop",
    account_tax_ids: null,
    amount_due: amount,
    amount_paid: amount,
    amount_remaining: 0,
    amount_shipping: 0,
    application: null,
    attempt_count: 1,
    attempted: true,
    auto_advance: false,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: null,
    billing_reason: isRenewal ? "subscription_cycle" : "subscription_create",
    collection_method: "charge_automatically",
    created: now,
    currency: "eur",
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
    livemode: false,
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
    shipping_cost: null,
    shipping_details: null,
    starting_balance: 0,
    statement_descriptor: null,
    status: "paid",
    status_transitions: { finalized_at: now, marked_uncollectible_at: null, paid_at: now, voided_at: null },
    subtotal: amount,
    subtotal_excluding_tax: amount,
    test_clock: null,
    total: amount,
    total_discount_amounts: [],
    total_excluding_tax: amount,
    total_pretax_credit_amounts: [],
    webhooks_delivered_at: now,
  } as const;
  const line = {
    id: stripeId("il"),
    object: "line_item",
    amount,
    currency: "eur",
    description: "1 × Pro (at €49.00 / month)",
    discount_amounts: [],
    discountable: true,
    discounts: [],
    livemode: false,
    metadata,
    period: { end: now + 30 * 86_400, start: now },
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
    return eventOf(api, "invoice.paid", {
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
      subscription_details: { metadata },
      tax: null,
      total_tax_amounts: [],
      transfer_data: null,
    });
  }
  const current = {
    ...both,
    amount_overpaid: 0,
    confirmation_secret: null,
    customer_account: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata, subscription },
      type: "subscription_details",
    },
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
  return eventOf(api, "invoice.paid", { ...current, lines: lines(own) });
}

/** `refundedTotal`: all that was given back of it up to then. */
export function chargeRefunded(payment: Payment, refundedTotal: number): StripeEventJson {
  const { api, amount, customer, paymentIntent, charge: id } = payment;
  const charge = {
    id,
    object: "charge",
    amount,
    amount_captured: amount,
    amount_refunded: refundedTotal,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: stripeId("txn"),
    billing_details: { address, email: "buyer@shop.example", name: "A. Buyer", phone: null, tax_id: null },
    calculated_statement_descriptor: "SHOP",
    captured: true,
    created: secondsNow(),
    currency: "eur",
    customer,
    description: payment.subscription === null ? null : "Subscription creation",
    disputed: false,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: {},
    livemode: false,
    metadata: {},
    on_behalf_of: null,
    outcome: {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      network_status: "approved_by_network",
      reason: null,
      risk_level: "normal",
      risk_score: 12,
      seller_message: "Payment complete.",
      type: "authorized",
    },
    paid: true,
    payment_intent: paymentIntent,
    payment_method: stripeId("pm"),
    payment_method_details: null,
    receipt_email: null,
    receipt_number: null,
    receipt_url: "https://pay.stripe.com/receipts/payment/1",
    refunded: refundedTotal === amount,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: "succeeded",
    transfer_data: null,
    transfer_group: null,
  } satisfies Stripe.Charge;
  const old = { destination: null, dispute: null, invoice: payment.invoice, order: null };
  return eventOf(api, "charge.refunded", isOld(api) ? { ...charge, ...old } : charge);
}
