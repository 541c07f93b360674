import { randomUUID } from "node:crypto";
import type Stripe from "stripe";

// Stripe's events as they come over the wire, whole. Until 2025-03-31 an invoice named its charge, its payment and its
// subscription, and a charge its invoice; since then an invoice names its subscription elsewhere, and a charge nothing.

export const apiVersions = ["2024-06-20", "2025-03-31.basil", "2026-10-28.endive"] as const;
export type StripeApi = (typeof apiVersions)[number];

const isOld = (api: StripeApi) => api === "2024-06-20";

export interface StripeEventJson {
  readonly id: string;
  readonly type: string;
  readonly created: number;
  readonly livemode: boolean;
  readonly data: { readonly object: object };
}

export const stripeId = (kind: string) => `${kind}_1S${randomUUID().replaceAll("-", "").slice(0, 22)}`;
export const secondsNow = () => Math.floor(Date.now() / 1_000);

/** `afterSeconds`: since the payment. */
function eventOf({ api, at, livemode }: Payment, type: string, object: object, afterSeconds = 0): StripeEventJson {
  const event = {
    id: stripeId("evt"),
    object: "event",
    api_version: api,
    created: at + afterSeconds,
    data: { object },
    livemode,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  };
  return event;
}

/** What was paid, and the ids under which Stripe keeps it. */
export interface Payment {
  readonly api: StripeApi;
  /** In seconds. */
  readonly at: number;
  readonly livemode: boolean;
  readonly currency: string;
  /** Charged, in Stripe's unit. */
  readonly amount: number;
  /** Covered by the customer's balance, in addition. */
  readonly balance: number;
  /** As Stripe's API has it. */
  readonly refundedTotal: number;
  /** Authorized, and never captured. */
  readonly uncaptured: number;
  /** Parts of `amount` and `balance` together. */
  readonly tax: number;
  readonly shipping: number;
  readonly session: string;
  readonly customer: string;
  readonly paymentIntent: string;
  readonly charge: string;
  /** Null: paid once, without an invoice. */
  readonly invoice: string | null;
  readonly subscription: string | null;
  readonly isRenewal: boolean;
  readonly captureMethod: "automatic" | "manual";
  /** In seconds: when the subscription's trial ended. */
  readonly trialEnd: number | null;
  /** Keys that the shop set. By default those of the session are on its subscription too, as `checkoutMetadata` does. */
  readonly metadata: Record<string, string>;
  readonly subscriptionMetadata: Record<string, string>;
  readonly customerMetadata: Record<string, string>;
  readonly intentMetadata: Record<string, string>;
  /** Overrides the session's. */
  readonly clientReference: string | null | undefined;
}

type PaymentOptions = Pick<Payment, "api" | "metadata"> & Partial<Payment>;

export const paidOnce = (options: PaymentOptions): Payment => ({
  at: secondsNow(),
  livemode: true,
  currency: "eur",
  amount: 4_900,
  balance: 0,
  refundedTotal: 0,
  uncaptured: 0,
  tax: 0,
  shipping: 0,
  session: stripeId("cs_live"),
  customer: stripeId("cus"),
  paymentIntent: stripeId("pi"),
  charge: stripeId("ch"),
  invoice: null,
  subscription: null,
  isRenewal: false,
  captureMethod: "automatic",
  trialEnd: null,
  subscriptionMetadata: options.metadata,
  customerMetadata: {},
  intentMetadata: {},
  clientReference: undefined,
  ...options,
});

export const subscribed = (options: PaymentOptions): Payment =>
  paidOnce({ invoice: stripeId("in"), subscription: stripeId("sub"), ...options });

/** The same subscription, a month later: the time is the caller's. */
export const renewed = (first: Payment, over: Partial<Payment> = {}): Payment => ({
  ...first,
  session: "",
  paymentIntent: stripeId("pi"),
  charge: stripeId("ch"),
  invoice: stripeId("in"),
  isRenewal: true,
  ...over,
});

const address = { city: null, country: "NL", line1: null, line2: null, postal_code: null, state: null };

export const checkoutCompleted = (payment: Payment, over?: Partial<Stripe.Checkout.Session>): StripeEventJson =>
  eventOf(payment, "checkout.session.completed", sessionOf(payment, over));

/** A payment that took days: by SEPA debit, for example. */
export const checkoutPaidLater = (payment: Payment): StripeEventJson =>
  eventOf(payment, "checkout.session.async_payment_succeeded", sessionOf(payment));

export function sessionOf(payment: Payment, over: Partial<Stripe.Checkout.Session> = {}): object {
  const { api, customer, invoice, subscription, metadata, paymentIntent, currency, tax, shipping, livemode } = payment;
  const amount = payment.amount + payment.balance + payment.uncaptured;
  const isSubscription = subscription !== null;
  const session = {
    id: payment.session,
    object: "checkout.session",
    adaptive_pricing: { enabled: true },
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: null,
    amount_subtotal: amount - tax - shipping,
    amount_total: amount,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: "https://shop.example/",
    client_reference_id:
      payment.clientReference === undefined ? (metadata.svc_customer_key ?? null) : payment.clientReference,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: payment.at - 60,
    currency,
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
    expires_at: payment.at + 86_400,
    integration_identifier: null,
    invoice,
    invoice_creation: null,
    livemode,
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
    payment_status: payment.captureMethod === "manual" ? "unpaid" : "paid",
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost:
      shipping > 0
        ? { amount_subtotal: shipping, amount_tax: 0, amount_total: shipping, shipping_rate: "shr_1" }
        : null,
    shipping_options: [],
    status: "complete",
    submit_type: null,
    subscription,
    success_url: "https://shop.example/",
    total_details: { amount_discount: 0, amount_shipping: shipping, amount_tax: tax },
    ui_mode: "hosted",
    url: null,
    wallet_options: null,
    ...over,
  } satisfies Stripe.Checkout.Session;
  const { allowed_payment_method_types, customer_account, integration_identifier, managed_payments, ...old } = session;
  return isOld(api) ? { ...old, shipping_details: null } : session;
}

export const invoicePaid = (payment: Payment): StripeEventJson =>
  eventOf(payment, "invoice.paid", invoiceOf(payment), 2);

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

/** `refundedTotal`: all that was given back of it up to then. */
export const chargeRefunded = (payment: Payment, refundedTotal: number, afterSeconds = 60): StripeEventJson =>
  eventOf(payment, "charge.refunded", chargeOf(payment, refundedTotal), afterSeconds);

export function chargeOf(payment: Payment, refundedTotal = 0): object {
  const { api, amount, currency, livemode, customer, paymentIntent, charge: id } = payment;
  const charge = {
    id,
    object: "charge",
    amount: amount + payment.uncaptured,
    amount_captured: amount,
    amount_refunded: refundedTotal + payment.uncaptured,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: stripeId("txn"),
    billing_details: { address, email: "buyer@shop.example", name: "A. Buyer", phone: null, tax_id: null },
    calculated_statement_descriptor: "SHOP",
    captured: true,
    created: payment.at,
    currency,
    customer,
    description: payment.subscription === null ? null : "Subscription creation",
    disputed: false,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: {},
    livemode,
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
  return isOld(api) ? { ...charge, ...old } : charge;
}

export function intentOf(payment: Payment): object {
  const { api, amount, paymentIntent: id, currency, customer, livemode, charge, at, captureMethod } = payment;
  const intent = {
    id,
    object: "payment_intent",
    amount: amount + payment.uncaptured,
    amount_capturable: 0,
    amount_received: amount,
    application: null,
    capture_method: captureMethod,
    created: at,
    currency,
    customer,
    latest_charge: charge,
    livemode,
    metadata: payment.intentMetadata,
    status: "succeeded",
  };
  return isOld(api) ? { ...intent, invoice: payment.invoice } : intent;
}

export const intentSucceeded = (payment: Payment): StripeEventJson =>
  eventOf(payment, "payment_intent.succeeded", intentOf(payment));

export interface RefundJson {
  readonly id: string;
  readonly amount: number;
  readonly status?: "pending" | "requires_action" | "succeeded" | "failed" | "canceled";
}

/** `refund.created`, or what became of it. */
export function refundEvent(
  payment: Payment,
  { id, amount, status = "succeeded" }: RefundJson,
  type: "refund.created" | "refund.updated" | "refund.failed" | "charge.refund.updated" = "refund.created",
  afterSeconds = 60,
): StripeEventJson {
  const refund = {
    id,
    object: "refund",
    amount,
    balance_transaction: stripeId("txn"),
    charge: payment.charge,
    created: payment.at + 60,
    currency: payment.currency,
    metadata: {},
    payment_intent: payment.paymentIntent,
    reason: null,
    receipt_number: null,
    source_transfer_reversal: null,
    status,
    transfer_reversal: null,
  };
  return eventOf(payment, type, refund, afterSeconds);
}

export function disputeEvent(
  payment: Payment,
  { id, amount }: { readonly id: string; readonly amount: number },
  type: "created" | "funds_withdrawn" | "funds_reinstated" | "closed",
  afterSeconds = 120,
): StripeEventJson {
  const dispute = {
    id,
    object: "dispute",
    amount,
    balance_transactions: [],
    charge: payment.charge,
    created: payment.at + 100,
    currency: payment.currency,
    evidence_details: { due_by: null, has_evidence: false, past_due: false, submission_count: 0 },
    is_charge_refundable: false,
    livemode: payment.livemode,
    metadata: {},
    payment_intent: payment.paymentIntent,
    reason: "fraudulent",
    status: type === "funds_reinstated" ? "won" : "needs_response",
  };
  return eventOf(payment, `charge.dispute.${type}`, dispute, afterSeconds);
}

/** `outOfBand`: given back outside Stripe; the rest is a refund or a credit to the customer's balance. */
export function creditNote(
  payment: Payment,
  { id, amount, outOfBand }: { readonly id: string; readonly amount: number; readonly outOfBand: number },
  type: "created" | "voided" = "created",
  afterSeconds = 180,
): StripeEventJson {
  const note = {
    id,
    object: "credit_note",
    amount,
    amount_shipping: 0,
    created: payment.at + 150,
    currency: payment.currency,
    customer: payment.customer,
    customer_balance_transaction: null,
    invoice: payment.invoice,
    livemode: payment.livemode,
    metadata: {},
    out_of_band_amount: outOfBand,
    post_payment_amount: amount,
    pre_payment_amount: 0,
    status: type === "voided" ? "void" : "issued",
    total: amount,
    type: "post_payment",
  };
  return eventOf(payment, `credit_note.${type}`, note, afterSeconds);
}
