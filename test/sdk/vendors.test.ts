import { Paddle } from "@paddle/paddle-node-sdk";
import Stripe from "stripe";
import { describe, expect, test } from "vitest";
import { vendors } from "../../scripts/vendors/checked.ts";
import { handlePaddleEvent, verifyPaddleEvent } from "../../sdk/src/paddle.ts";
import { handlePolarEvent, verifyPolarEvent } from "../../sdk/src/polar.ts";
import { handleStripeEvent } from "../../sdk/src/stripe.ts";
import { checkoutCompleted } from "../examples/stripe-events.ts";
import { apiVersions, paidOnce } from "../examples/stripe-payment.ts";
import { sampled } from "../support/breadth.ts";
import { adjusted, completed, signedByPaddle } from "./paddle-events.ts";
import { orderPaid, orderRefunded, refundUpdated, signedByPolar } from "./polar-events.ts";
import { answerWith } from "./processor-shop.ts";

// Compares the SDK with the vendors' own packages. For webhooks, the packages of Lemon Squeezy and RevenueCat contain
// only types.

const keys = { svc_customer_key: "user-1", program_id: "1" };
const recorded = { status: 200, body: "Recorded.", problems: [] };

/** Resolves to true if the verification succeeds. */
const accepts = (verified: Promise<unknown>): Promise<boolean> =>
  verified.then(
    () => true,
    () => false,
  );

describe("Paddle's package", () => {
  const { webhooks } = new Paddle("pdl_key");
  const [secret, other] = ["pdl_ntfset_01_a", "pdl_ntfset_01_b"];
  const events = [
    completed({ id: "txn_1", customData: keys, total: 11_900, tax: 1_900 }),
    adjusted({ id: "adj_1", transaction: "txn_1", total: 1_190, tax: 190 }),
  ];
  const bodies = events.map((event) => JSON.stringify(event));
  const body = bodies[0] ?? "";

  test.each([
    ["right", secret, signedByPaddle(body, [secret]), true],
    ["signed with a secret that is being replaced", secret, signedByPaddle(body, [other, secret]), true],
    ["signed with another secret", secret, signedByPaddle(body, [other]), false],
    ["signed for another body", secret, signedByPaddle(`${body} `, [secret]), false],
    ["too old", secret, signedByPaddle(body, [secret], Math.floor(Date.now() / 1_000) - 600), false],
    ["without a signature", secret, { "paddle-signature": "" }, false],
  ])("Paddle's package agrees with verifyPaddleEvent on a delivery: %s", async (_, given, headers, isGenuine) => {
    const signature = headers["paddle-signature"];
    expect(await accepts(webhooks.unmarshal(body, given, signature))).toBe(isGenuine);
    expect((await verifyPaddleEvent(body, headers, given)).ok).toBe(isGenuine);
  });

  test.each(bodies)(
    "the handler answers an event that Paddle's package has parsed with 500, and reports it: %.40s",
    async (text) => {
      const headers = signedByPaddle(text, [secret]);
      const answer = answerWith(handlePaddleEvent);
      const parsed = await webhooks.unmarshal(text, secret, headers["paddle-signature"]);
      const refused = await answer(parsed as never);
      expect(refused).toMatchObject({
        status: 500,
        calls: [],
        problems: [expect.stringContaining("verifyPaddleEvent")],
      });
      const { event } = await verifyPaddleEvent(text, headers, secret);
      expect(await answer(event as never)).toMatchObject({ ...recorded, calls: [{ invoiceId: "txn_1" }] });
    },
  );
});

describe("Polar's package", () => {
  const packages = {
    "2027-01": () => import("@polar-sh/sdk/2027-01"),
    "2026-10": () => import("@polar-sh/sdk/2026-10"),
    "2026-04": () => import("@polar-sh/sdk/2026-04"),
  };
  const apis = sampled(["2027-01", "2026-10", "2026-04"] as const);
  const bytes = Buffer.from("32 random bytes of a new secret.");
  const [old, standard] = ["polar_whs_a1b2", `whsec_${bytes.toString("base64")}`];
  const order = { id: "order-1", metadata: keys, net: 10_000, tax: 1_900 };
  const body = JSON.stringify(orderPaid(order));

  test("Polar's package is tested with exactly the API versions that are listed as checked", () => {
    expect(vendors.find(({ name }) => name === "Polar")?.apis).toEqual(Object.keys(packages).toSorted());
  });

  const deliveries: readonly [string, string, (string | Buffer)[], boolean][] = [
    ["the bytes of an older secret", old, [old], true],
    ["the bytes of a secret with a prefix", standard, [standard], true],
    ["the base64 after the prefix", standard, [bytes], true],
    ["a secret that is being replaced", standard, [Buffer.from("former"), bytes], true],
    ["another secret", standard, [old], false],
    ["the base64 of the whole text", standard, [Buffer.from(standard, "base64")], false],
    ["an empty key that isn't the secret", standard, [""], false],
    ["an empty key, without a secret", "", [""], false],
    ["the base64 after a prefix that is empty", "whsec_", [""], false],
  ];
  describe.each(apis)("Polar's package for the API %s", (api) => {
    test.each(deliveries)("the SDK and Polar's package agree on signatures by %s", async (_, secret, by, isGenuine) => {
      const { webhooks } = await packages[api]();
      const headers = signedByPolar(body, by);
      expect(await accepts(webhooks.validateEvent(body, headers, secret))).toBe(isGenuine);
      expect((await verifyPolarEvent(body, headers, secret)).ok).toBe(isGenuine);
    });

    test("Polar's package parses an event to the same object as verifyPolarEvent", async () => {
      const { webhooks } = await packages[api]();
      const refund = orderRefunded({ ...order, refunded: 1_000 });
      for (const event of [orderPaid(order), refund, refundUpdated("order-1", "succeeded")]) {
        const text = JSON.stringify(event);
        const headers = signedByPolar(text, [bytes]);
        const parsed = await webhooks.validateEvent(text, headers, standard);
        expect(await verifyPolarEvent(text, headers, standard)).toEqual({ ok: true, event: parsed });
      }
      const parsed = await webhooks.validateEvent(body, signedByPolar(body, [bytes]), standard);
      const answered = await answerWith(handlePolarEvent)(parsed);
      expect(answered).toMatchObject({ ...recorded, calls: [{ invoiceId: "order-1", amount: 10_000 }] });
    });
  });
});

describe("Stripe's package", () => {
  const payload = JSON.stringify(checkoutCompleted(paidOnce({ api: apiVersions[2], metadata: keys })));

  test("Stripe's package signs and verifies events that the handler records", async () => {
    const header = Stripe.webhooks.generateTestHeaderString({ payload, secret: "whsec_a" });
    const event = await Stripe.webhooks.constructEventAsync(payload, header, "whsec_a");
    const answered = await answerWith(handleStripeEvent)(event);
    expect(answered).toMatchObject({ ...recorded, calls: [{ amount: 4_900, currency: "EUR" }] });
  });

  test.each(["", " ", "\n"])("Stripe's package verifies nothing with the secret %j", async (secret) => {
    const header = Stripe.webhooks.generateTestHeaderString({ payload, secret: secret || "whsec_a" });
    expect(await accepts(Stripe.webhooks.constructEventAsync(payload, header, secret))).toBe(false);
  });
});
