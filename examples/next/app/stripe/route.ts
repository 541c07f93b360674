import type Stripe from "stripe";
import { handleStripeEvent } from "tributary-sdk/stripe";
import { shop } from "../shop";

export async function POST(request: Request): Promise<Response> {
  const { staging, stripe, tributary, webhookSecret } = shop();
  const signature = request.headers.get("stripe-signature") ?? "";
  let event: Stripe.Event;
  try {
    // The signature covers the body exactly as it arrived.
    event = await stripe.webhooks.constructEventAsync(await request.text(), signature, webhookSecret);
  } catch {
    return new Response("Bad signature", { status: 400 });
  }
  // Do your own work here, before the call. It may run again, because Stripe delivers the event until tracking has
  // succeeded too.
  const { status, body } = await handleStripeEvent(event, {
    tributary,
    stripe,
    invoices: true,
    refundEvents: "refund.*",
    staging,
  });
  return new Response(body, { status });
}
