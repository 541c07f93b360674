import { describe, expect, test } from "vitest";
import { type FetchLike, Tributary } from "../../sdk/src/index.ts";
import { handleLemonSqueezyEvent } from "../../sdk/src/lemon-squeezy.ts";
import { checkoutMetadata, handlePaddleEvent } from "../../sdk/src/paddle.ts";
import { handlePolarEvent } from "../../sdk/src/polar.ts";
import { TributaryProgram } from "../../sdk/src/program.ts";
import { handleStripeEvent, type StripeOptions, saleFromEvent } from "../../sdk/src/stripe.ts";
import { checkoutCompleted, intentSucceeded, invoicePaid, type StripeEventJson } from "../examples/stripe-events.ts";
import { apiVersions, type Payment, paidOnce, subscribed } from "../examples/stripe-payment.ts";
import { placeholders } from "../support/placeholders.ts";
import { orderCreated } from "./lemon-squeezy-events.ts";
import { completed } from "./paddle-events.ts";
import { orderPaid } from "./polar-events.ts";
import { answerWith } from "./processor-shop.ts";

const finding = { tags: ["finding"] };
const placeholderKey = { svc_customer_key: "undefined", program_id: "1" };
const ownKeys = { svc_customer_key: "user-1", program_id: "1" };
const ignored = (name: string) => expect.stringContaining(`its ${name} is a placeholder`);
const unnamed = expect.stringMatching(/svc_customer_key is a placeholder.*; it names no customer and was not recorded/);

const byStripe = answerWith<StripeEventJson>((event, options) =>
  handleStripeEvent(event, options as unknown as StripeOptions),
);
const byPolar = answerWith(handlePolarEvent);
const byPaddle = answerWith(handlePaddleEvent);
const byLemonSqueezy = answerWith(handleLemonSqueezyEvent);

const paid = (over: Partial<Payment>) => paidOnce({ api: apiVersions[2], metadata: placeholderKey, ...over });
const first = { id: "1", net: 10_000, total: 11_900, tax: 1_900 };

describe("a placeholder in a payment's metadata", () => {
  test(
    "a placeholder in metadata, such as 'undefined', is reported once, and a valid key in another field is used",
    finding,
    async () => {
      const polar = await byPolar(orderPaid({ ...first, metadata: placeholderKey, customerMetadata: ownKeys }));
      expect(polar).toMatchObject({ status: 200, calls: [{ customerExternalId: "user-1" }] });
      expect(polar.problems).toEqual([ignored("svc_customer_key")]);
      const session = checkoutCompleted(paid({ clientReference: "user-1" }));
      const stripe = await byStripe(session);
      expect(stripe).toMatchObject({ status: 200, calls: [{ customerExternalId: "user-1" }] });
      expect(stripe.problems).toEqual([ignored("svc_customer_key")]);
      const { sale } = saleFromEvent(session);
      expect(sale).toMatchObject({ customerExternalId: "user-1" });
    },
  );

  test(
    "a placeholder in metadata is reported once, and the subscription identifies the customer instead",
    finding,
    async () => {
      const answers = [
        await byPolar(orderPaid({ ...first, metadata: placeholderKey, subscription: "sub-1" })),
        await byPaddle(completed({ ...first, customData: placeholderKey, subscription: "sub-1" })),
        await byStripe(invoicePaid(subscribed({ api: apiVersions[2], metadata: placeholderKey }))),
      ];
      for (const { status, calls, problems } of answers) {
        expect({ status, count: calls.length }).toEqual({ status: 200, count: 1 });
        expect(calls[0]).not.toHaveProperty("customerExternalId");
        expect(problems).toEqual([ignored("svc_customer_key")]);
      }
    },
  );

  test(
    "a payment with a placeholder in its metadata isn't recorded, but reported, if nothing else identifies the customer",
    finding,
    async () => {
      const answers = [
        await byPolar(orderPaid({ ...first, metadata: placeholderKey })),
        await byPaddle(completed({ ...first, customData: placeholderKey })),
        await byLemonSqueezy(orderCreated({ ...first, customData: placeholderKey })),
        await byStripe(checkoutCompleted(paid({ clientReference: null }))),
        await byStripe(intentSucceeded(paid({ intentMetadata: placeholderKey }))),
      ];
      for (const answer of answers) expect(answer).toMatchObject({ status: 200, calls: [], problems: [unnamed] });
    },
  );

  test("a placeholder as a Stripe session's client_reference_id is reported once and ignored", finding, async () => {
    const event = checkoutCompleted(paid({ metadata: {}, clientReference: "undefined" }));
    const { calls, problems } = await byStripe(event);
    expect([calls, problems]).toEqual([[], [expect.stringContaining("client_reference_id is a placeholder")]]);
  });

  test(
    "a placeholder in place of a click id or program id is reported once and ignored, and the valid customer key is used",
    finding,
    async () => {
      for (const name of ["svc_click_id", "program_id"]) {
        const { calls, problems } = await byPolar(orderPaid({ ...first, metadata: { ...ownKeys, [name]: "null" } }));
        expect([calls, problems]).toMatchObject([[{ customerExternalId: "user-1", clickId: null }], [ignored(name)]]);
      }
    },
  );
});

test("white space around a key in metadata is removed", finding, async () => {
  const { calls } = await byPolar(orderPaid({ ...first, metadata: { ...ownKeys, svc_customer_key: " user-1\u00a0" } }));
  expect(calls).toMatchObject([{ customerExternalId: "user-1" }]);
});

const settings = { apiKey: "svc_1_secret", baseUrl: "https://tributary.example" };
const bodies: string[] = [];
const fetch: FetchLike = async (_, { body }) => {
  bodies.push(String(body));
  throw new Error("away");
};
const client = new Tributary({ ...settings, fetch, retries: 0, onError: () => {} });
const sale = { customerExternalId: "u", invoiceId: "i", amount: 1 };

describe.each(placeholders)("the placeholder %j", (id) => {
  test("a placeholder passed as an id makes the client throw a TypeError", finding, () => {
    const program = new TributaryProgram({ ...settings, fetch });
    const calls = [
      () => client.trackLead({ customerExternalId: id }),
      () => client.trackSale({ ...sale, customerExternalId: id }),
      () => client.trackTestSale({ ...sale, invoiceId: ` ${id} ` }),
      () => client.trackSale({ ...sale, subscriptionId: id }),
      () => client.trackRefund({ invoiceId: "i", amount: 1, refundId: id }),
      () => program.partners.create({ name: "Anna", code: "anna", externalId: id }),
      () => program.partners.create({ name: "Anna", code: id }),
      () => checkoutMetadata({ customerKey: id, programId: 1 }),
    ];
    for (const call of calls) expect(call, String(call)).toThrow(TypeError);
  });
});

test("a sale whose id is a placeholder can be refunded, and ids lose their outer white space", finding, async () => {
  bodies.length = 0;
  await client.trackRefund({ invoiceId: "undefined" });
  await client.trackLead({ customerExternalId: " u-1\t" });
  expect(bodies.map((body) => JSON.parse(body))).toEqual([{ transaction_id: "undefined" }, { customer_key: "u-1" }]);
});

test("checkoutMetadata omits a click id that is a placeholder", finding, () => {
  const keys = checkoutMetadata({ clickId: "undefined", customerKey: " user-1 ", programId: 1 });
  expect(keys).toEqual({ svc_customer_key: "user-1", program_id: "1" });
});
