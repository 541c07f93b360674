import type Stripe from "stripe";
import { refundFromEvent, type StripeCharge, saleFromEvent } from "tributary-sdk/stripe";
import { stripe, tributary, webhookSecret } from "../shop";

export async function POST(request: Request): Promise<Response> {
  const signature = request.headers.get("stripe-signature") ?? "";
  let event: Stripe.Event;
  try {
    // The signature is of the body as it came.
    event = await stripe.webhooks.constructEventAsync(await request.text(), signature, webhookSecret);
  } catch {
    return new Response("Bad signature", { status: 400 });
  }
  // Your own work comes first, here: tracking can't keep it from being done.
  return (await isDealtWith(event)) ? new Response("OK") : new Response("Send it again", { status: 503 });
}

/** False: it may be reported later, if only with another key, so Stripe is to send the event again. */
async function isDealtWith(event: Stripe.Event): Promise<boolean> {
  const { sale } = saleFromEvent(event);
  const { refund } = await refundFromEvent(event, { invoiceOf });
  const result = sale ? await tributary.trackSale(sale) : refund && (await tributary.trackRefund(refund));
  if (result?.ok !== false) return true;
  console.error(`${event.type} ${event.id}: ${result.error.message}`);
  return !(result.retryable || result.status === 401);
}

async function invoiceOf({ payment_intent }: StripeCharge) {
  if (typeof payment_intent !== "string") return null;
  const payment = { type: "payment_intent", payment_intent } as const;
  return (await stripe.invoicePayments.list({ payment, limit: 1 })).data[0]?.invoice ?? null;
}
