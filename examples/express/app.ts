import { randomUUID } from "node:crypto";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import type Stripe from "stripe";
import type { Tributary } from "tributary-sdk";
import { checkoutMetadata, refundFromEvent, type StripeCharge, saleFromEvent } from "tributary-sdk/stripe";

export interface Shop {
  readonly stripe: Stripe;
  readonly webhookSecret: string;
  readonly tributary: Tributary;
  readonly tributaryUrl: string;
  readonly programId: string;
}

interface User {
  readonly id: string;
  readonly email: string;
  readonly clickId: string;
}

export function createApp({ stripe, webhookSecret, tributary, tributaryUrl, programId }: Shop): Express {
  const app = express();
  // In place of your database.
  const users = new Map<string, User>();
  const paid = new Set<string>();
  const userOf = ({ headers }: Request) => users.get(/\bsession=([\w-]+)/.exec(headers.cookie ?? "")?.[1] ?? "");

  // The signature is of the body as it came: this route takes it raw, and stands ahead of what parses bodies.
  app.post("/stripe", express.raw({ type: "application/json" }), async (request, response) => {
    let event: Stripe.Event;
    try {
      event = stripe.webhooks.constructEvent(request.body, request.get("stripe-signature") ?? "", webhookSecret);
    } catch {
      response.status(400).send("Bad signature");
      return;
    }
    // Your own work comes first: tracking can't keep it from being done.
    if (event.type === "checkout.session.completed") paid.add(event.data.object.client_reference_id ?? "");
    if (await isDealtWith(event)) response.send("OK");
    else response.status(503).send("Send it again");
  });

  app.use(express.urlencoded());

  app.get("/", (request, response) => {
    const user = userOf(request);
    response.send(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Shop</title>
<script async src="${tributaryUrl}/js/svc-tracker.js" data-svc-program-id="${programId}"></script>
<form id="sign-up" method="post" action="/sign-up">
  <input name="email" type="email" required> <input name="click_id" type="hidden"> <button>Sign up</button>
</form>
<form method="post" action="/checkout">
  <button name="plan" value="once">Buy</button> <button name="plan" value="monthly">Subscribe</button>
</form>
<p>${user ? "Signed up" : "Sign up first"}, ${user && paid.has(user.id) ? "paid" : "not paid"}.</p>
<script>
  document.querySelector("#sign-up").onsubmit = ({ target }) => { target.click_id.value = window.svc?.getClickId() ?? ""; };
</script>`);
  });

  app.post("/sign-up", (request, response) => {
    const { email, click_id } = request.body;
    const user = { id: randomUUID(), email: String(email), clickId: String(click_id ?? "") };
    const session = randomUUID();
    users.set(session, user);
    // Not waited for: a sign-up takes as long as ever, whatever becomes of this.
    tributary.trackLead({ customerExternalId: user.id, clickId: user.clickId, email: user.email }).then((result) => {
      if (!result.ok) console.error(`lead ${user.id}: ${result.error.message}`);
    });
    response.cookie("session", session, { httpOnly: true, sameSite: "lax" }).redirect(303, "/");
  });

  app.post("/checkout", async (request, response) => {
    const user = userOf(request);
    if (!user) {
      response.redirect(303, "/");
      return;
    }
    const price = { currency: "eur", unit_amount: 4900, product_data: { name: "Pro" } };
    const returnTo = `${request.protocol}://${request.host}/`;
    const order = { client_reference_id: user.id, success_url: returnTo, cancel_url: returnTo };
    const customer = { clickId: user.clickId, customerKey: user.id, programId };
    const { url } = await stripe.checkout.sessions.create(
      request.body.plan === "monthly"
        ? {
            ...order,
            mode: "subscription",
            line_items: [{ quantity: 1, price_data: { ...price, recurring: { interval: "month" } } }],
            ...checkoutMetadata({ ...customer, mode: "subscription" }),
          }
        : {
            ...order,
            mode: "payment",
            line_items: [{ quantity: 1, price_data: price }],
            ...checkoutMetadata(customer),
          },
    );
    response.redirect(303, url ?? returnTo);
  });

  // Express would send on the headers that an error of Stripe's carries.
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    console.error(error);
    response.status(500).send("Internal Server Error");
  });

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

  return app;
}
