import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
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

export function createApp({ stripe, webhookSecret, tributary, tributaryUrl, programId, staging }: Shop): Hono {
  const app = new Hono();
  // A placeholder for your database.
  const users = new Map<string, User>();
  const paid = new Set<string>();

  app.get("/", (c) => {
    const user = users.get(getCookie(c, "session") ?? "");
    return c.html(`<!doctype html>
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

  app.post("/sign-up", async (c) => {
    const form = await c.req.parseBody();
    const user = { id: randomUUID(), email: String(form.email), clickId: String(form.click_id ?? "") };
    const session = randomUUID();
    users.set(session, user);
    // Not awaited, so that the sign-up doesn't take longer. A failure is written to the console.
    void tributary.trackLead({ customerExternalId: user.id, clickId: user.clickId, email: user.email });
    setCookie(c, "session", session, { httpOnly: true, sameSite: "Lax" });
    return c.redirect("/", 303);
  });

  app.post("/checkout", async (c) => {
    const user = users.get(getCookie(c, "session") ?? "");
    if (!user) return c.redirect("/", 303);
    const { plan } = await c.req.parseBody();
    const price = { currency: "eur", unit_amount: 4900, product_data: { name: "Pro" } };
    const returnTo = new URL("/", c.req.url).href;
    const order = { client_reference_id: user.id, success_url: returnTo, cancel_url: returnTo };
    const customer = { clickId: user.clickId, customerKey: user.id, programId };
    const { url } = await stripe.checkout.sessions.create(
      plan === "monthly"
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
    return c.redirect(url ?? returnTo, 303);
  });

  app.post("/stripe", async (c) => {
    const [body, signature] = [await c.req.text(), c.req.header("stripe-signature") ?? ""];
    let event: Stripe.Event;
    try {
      event = await stripe.webhooks.constructEventAsync(body, signature, webhookSecret);
    } catch {
      return c.text("Bad signature", 400);
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
    return c.text(answer.body, answer.status);
  });

  return app;
}
