import Stripe from "stripe";
import { expect, onTestFinished, test, vi } from "vitest";
import { createProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";
import { invoicePaid, refundEvent } from "./stripe-events.ts";
import { apiVersions, renewed, subscribed } from "./stripe-payment.ts";
import { startStripe } from "./stripe-server.ts";

const secret = "whsec_of_the_tests";

test("the handlers in examples/next report a sign-up and Stripe's events", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => void vi.unstubAllEnvs());
  const shop = await createProgramFixture();
  vi.stubEnv("NEXT_PUBLIC_TRIBUTARY_URL", sharedService.url);
  vi.stubEnv("NEXT_PUBLIC_TRIBUTARY_PROGRAM_ID", String(shop.world.programId));
  vi.stubEnv("TRIBUTARY_API_KEY", shop.world.key);
  vi.stubEnv("STRIPE_SECRET_KEY", "sk_test_unused");
  vi.stubEnv("STRIPE_WEBHOOK_SECRET", secret);
  const signUp = await import("../../examples/next/app/sign-up/route.ts");
  const webhook = await import("../../examples/next/app/stripe/route.ts");
  const { shop: opened } = await import("../../examples/next/app/shop.ts");
  const { stripe: local, payments } = await startStripe();
  const { invoices, paymentIntents, subscriptions } = local;
  Object.assign(opened().stripe, { invoices, paymentIntents, subscriptions });

  const { click_id } = await shop.visit();
  const body = new URLSearchParams({ email: "buyer@shop.example", click_id });
  const signedUp = await signUp.POST(new Request("http://localhost:3000/sign-up", { method: "POST", body }));
  expect(signedUp.status).toBe(303);
  const [lead] = await shop.all("leads");
  expect(lead).toMatchObject({ partner_code: shop.alice.code, evidence: "key" });
  expect(signedUp.headers.get("set-cookie")).toContain(`customer=${lead?.customer_key}.${click_id};`);

  const deliver = async (event: object, signedWith = secret) => {
    const payload = JSON.stringify(event, null, 2);
    const headers = { "stripe-signature": Stripe.webhooks.generateTestHeaderString({ payload, secret: signedWith }) };
    const request = new Request("http://localhost:3000/stripe", { method: "POST", headers, body: payload });
    return (await webhook.POST(request)).status;
  };
  const metadata = {
    svc_click_id: click_id,
    svc_customer_key: String(lead?.customer_key),
    program_id: String(shop.world.programId),
  };
  const first = subscribed({ api: apiVersions[0], metadata });
  const renewal = renewed(first);
  payments.push(first, renewal);
  const refund = refundEvent(first, { id: "re_a", amount: 900 });
  expect(await deliver(invoicePaid(first), "whsec_of_somebody_else")).toBe(400);
  expect(await deliver(refund)).toBe(503);
  expect(await deliver(invoicePaid(first))).toBe(200);
  expect(await deliver(invoicePaid(first))).toBe(200);
  expect(await deliver(invoicePaid(renewal))).toBe(200);
  expect(await deliver(refund)).toBe(200);
  expect(await shop.all("commissions")).toMatchObject([{ amount_cents: 800 }, { amount_cents: 980 }]);
});
