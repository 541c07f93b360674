import type Stripe from "stripe";
import { address, isOld, type NamesOf, type Payment, stripeId } from "./stripe-payment.ts";

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
  } satisfies NamesOf<Stripe.PaymentIntent>;
  return isOld(api) ? { ...intent, invoice: payment.invoice } : intent;
}
