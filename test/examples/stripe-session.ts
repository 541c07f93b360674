import type Stripe from "stripe";
import { discountOf, sessionLinesOf } from "./stripe-lines.ts";
import { address, isOld, type Payment } from "./stripe-payment.ts";

/** `expanded` is true for a session that was retrieved with its lines and promotion codes. */
export function sessionOf(payment: Payment, over: Partial<Stripe.Checkout.Session> = {}, expanded = false): object {
  const { api, customer, invoice, subscription, metadata, paymentIntent, currency, tax, shipping, livemode } = payment;
  const { promotion } = payment;
  const amount = payment.amount + payment.balance + payment.uncaptured;
  const discount = discountOf(payment);
  const isSubscription = subscription !== null;
  const session = {
    id: payment.session,
    object: "checkout.session",
    adaptive_pricing: { enabled: true },
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: null,
    amount_subtotal: amount - tax - shipping + discount,
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
    discounts: promotion ? [{ coupon: "coupon_1", promotion_code: promotion.id }] : [],
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
    total_details: { amount_discount: discount, amount_shipping: shipping, amount_tax: tax },
    ui_mode: "hosted",
    url: null,
    wallet_options: null,
    ...over,
  } satisfies Stripe.Checkout.Session;
  const { allowed_payment_method_types, customer_account, integration_identifier, managed_payments, ...old } = session;
  const shown = isOld(api) ? { ...old, shipping_details: null } : session;
  if (!expanded) return shown;
  const discounts = promotion
    ? [{ coupon: "coupon_1", promotion_code: { ...promotion, object: "promotion_code" } }]
    : [];
  return { ...shown, discounts, line_items: sessionLinesOf(payment) };
}
