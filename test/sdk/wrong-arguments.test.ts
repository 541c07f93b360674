import { describe, expect, test } from "vitest";
import { handleLemonSqueezyEvent } from "../../sdk/src/lemon-squeezy.ts";
import { handlePaddleEvent } from "../../sdk/src/paddle.ts";
import { handlePolarEvent } from "../../sdk/src/polar.ts";
import { handleStripeEvent, refundFromEvent, saleFromEvent } from "../../sdk/src/stripe.ts";
import { createTestClient } from "../../sdk/src/testing.ts";
import { orderCreated } from "./lemon-squeezy-events.ts";
import { completed } from "./paddle-events.ts";
import { orderPaid } from "./polar-events.ts";

const keys = { svc_customer_key: "user-1", program_id: "1" };
const paddle = completed({ id: "txn_1", customData: keys, total: 11_900, tax: 1_900 });
const polar = orderPaid({ id: "order-1", metadata: keys, net: 10_000, tax: 1_900 });
const squeezed = orderCreated({ id: "1", customData: keys, total: 11_900, tax: 1_900 });
const stripe = { id: "evt_1", type: "invoice.paid", data: { object: { id: "in_1", status: "paid" } } };

/** Parses an event like vendors' libraries do: all names in camelCase, and dates instead of texts. */
function parsed(value: unknown): unknown {
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value)) return new Date(value);
  if (Array.isArray(value)) return value.map(parsed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name.replaceAll(/_(\w)/g, (_, next: string) => next.toUpperCase()),
      parsed(each),
    ]),
  );
}

const handlers = {
  Paddle: {
    handle: handlePaddleEvent,
    event: paddle,
    renamed: [parsed(paddle), { ...paddle, data: parsed(paddle.data) }],
  },
  Polar: { handle: handlePolarEvent, event: polar, renamed: [parsed(polar)] },
  "Lemon Squeezy": { handle: handleLemonSqueezyEvent, event: squeezed, renamed: [parsed(squeezed)] },
  Stripe: {
    handle: handleStripeEvent,
    event: stripe,
    renamed: [{ ...stripe, data: { object: { id: "in_1", amountPaid: 1_000, billingReason: "subscription_cycle" } } }],
  },
};

const noEvents = (event: object): readonly unknown[] => [
  ...[undefined, null, 5, true, "", [], [event], {}, { data: {} }],
  ...[JSON.stringify(event), Buffer.from(JSON.stringify(event)), new TextEncoder().encode("{}").buffer],
  // The whole result of the verifier, instead of the event in it.
  ...[{ ok: true, event }, { ok: false, reason: "bad_signature" }, Promise.resolve(event)],
  ...[new Request("https://shop.example"), new Headers()],
];

describe.each(Object.entries(handlers))("the handler of %s", (vendor, { handle, event, renamed }) => {
  test("each processor's handler answers anything that isn't an event with 500, and reports it", {
    tags: "finding",
  }, async () => {
    for (const wrong of [...noEvents(event), ...renamed]) {
      const tributary = createTestClient();
      const { status, body } = await handle(wrong as never, { tributary });
      expect({ status, calls: tributary.calls, problems: tributary.problems.length }, String(wrong)).toEqual({
        status: 500,
        calls: [],
        problems: 1,
      });
      expect(body).toMatch(new RegExp(`isn't an event as ${vendor} sends it. Pass the event that \\w`));
      expect(tributary.problems[0]?.message).toContain(body);
    }
  });

  test("each processor's handler answers with 500 if it is called without a Tributary client", {
    tags: "finding",
  }, async () => {
    for (const options of [undefined, null, {}, { tributary: null }, { tributary: {} }, createTestClient()]) {
      expect(await handle(event as never, options as never)).toMatchObject({ status: 500 });
    }
  });
});

describe.each(Object.entries(handlers))("the handler of %s", (_, { handle, event }) => {
  test("each processor's handler always resolves to a status, even if the client or the event throws", {
    tags: "finding",
  }, async () => {
    const broken = createTestClient();
    const throwing = () => {
      throw new Error("the client's own fault");
    };
    const clients = [
      { ...broken, report: throwing },
      new Proxy(broken, { get: (client, name) => (name === "trackSale" ? throwing : Reflect.get(client, name)) }),
    ];
    const { proxy, revoke } = Proxy.revocable(event, {});
    revoke();
    const strange = { toString: 1 };
    const events = [
      event,
      {},
      proxy,
      { ...event, id: strange, event_id: strange, data: { ...event.data, id: strange } },
    ];
    for (const tributary of clients) {
      for (const each of events) {
        const { status } = await handle(each as never, { tributary } as never);
        expect([200, 500, 503]).toContain(status);
      }
    }
  });
});

test("parsing a Stripe event throws if the text isn't an event", { tags: "finding" }, async () => {
  for (const wrong of noEvents(stripe)) {
    expect(() => saleFromEvent(wrong as never), String(wrong)).toThrow(/saleFromEvent: pass the event/);
    const refund = refundFromEvent(wrong as never, { invoiceOf: () => null });
    await expect(refund, String(wrong)).rejects.toThrow(/refundFromEvent: pass the event/);
  }
});
