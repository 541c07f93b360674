import { randomUUID } from "node:crypto";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import type Stripe from "stripe";
import type { Tributary } from "tributary-sdk";
import { checkoutMetadata, handleStripeEvent } from "tributary-sdk/stripe";

export interface Shop {
  readonly stripe: Stripe;
  readonly webhookSecret: string;
  readonly tributary: Tributary;
  readonly tributaryUrl: string;
  readonly programId: string;
  /** Records Stripe's test payments like real ones, for a program that is used only for staging. */
  readonly staging: boolean;
}

interface User {
  readonly id: string;
  readonly email: string;
  readonly clickId: string;
}

export function createApp({ stripe, webhookSecret, tributary, tributaryUrl, programId, staging }: Shop): Express {
  const app = express();
  // A placeholder for your database.
  const users = new Map<string, User>();
  const paid = new Set<string>();
  const userOf = ({ headers }: Request) => users.get(/\bsession=([\w-]+)/.exec(headers.cookie ?? "")?.[1] ?? "");

  // The signature covers the body exactly as it arrived, so this route comes before any that parses bodies.
  app.post("/stripe", express.raw({ type: "application/json" }), async (request, response) => {
    let event: Stripe.Event;
    try {
      event = stripe.webhooks.constructEvent(request.body, request.get("stripe-signature") ?? "", webhookSecret);
    } catch {
      response.status(400).send("Bad signature");
      return;
    }
    // Do your own work first. It may run again, because Stripe delivers the event until tracking has succeeded too.
    if (event.type === "checkout.session.completed" || event.type === "checkout.session.async_payment_succeeded") {
      const { payment_status, client_reference_id } = event.data.object;
      if (payment_status !== "unpaid") paid.add(client_reference_id ?? "");
    }
    const answer = await handleStripeEvent(event, {
      tributary,
      stripe,
      invoices: true,
      refundEvents: "refund.*",
      staging,
    });
    response.status(answer.status).send(answer.body);
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
    // Not awaited, so that the sign-up doesn't take longer. A failure is written to the console.
    void tributary.trackLead({ customerExternalId: user.id, clickId: user.clickId, email: user.email });
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

  // Express would copy the headers of Stripe's errors into its response.
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    console.error(error);
    response.status(500).send("Internal Server Error");
  });

  return app;
}
