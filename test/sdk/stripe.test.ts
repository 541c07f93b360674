import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { currencyCodes, currencyExponent } from "#domain/currency.ts";
import { checkoutMetadata, refundFromEvent, saleFromEvent } from "../../sdk/src/stripe.ts";

const metadata = { svc_click_id: "click-1", svc_customer_key: "user-1", program_id: "7" };

const session = {
  id: "cs_test_a1",
  object: "checkout.session",
  amount_subtotal: 4_900,
  amount_total: 4_900,
  client_reference_id: null,
  currency: "eur",
  customer: "cus_1",
  invoice: null,
  livemode: true,
  metadata,
  mode: "payment",
  payment_intent: "pi_1",
  payment_status: "paid",
  status: "complete",
  subscription: null,
};
const subscribing = { ...session, mode: "subscription", invoice: "in_1", payment_intent: null, subscription: "sub_1" };

const invoiceBase = {
  id: "in_1",
  object: "invoice",
  amount_due: 4_900,
  amount_paid: 4_900,
  billing_reason: "subscription_create",
  currency: "eur",
  livemode: true,
  metadata: {},
  status: "paid",
  total: 4_900,
};
const line = { id: "il_1", object: "line_item", amount: 4_900, currency: "eur" };

/** Invoices with the subscription's metadata in the field of each API version. */
const invoices = {
  "2022-11-15": {
    ...invoiceBase,
    charge: "ch_1",
    payment_intent: "pi_1",
    subscription: "sub_1",
    lines: { object: "list", data: [{ ...line, type: "subscription", metadata }] },
  },
  "2024-06-20": {
    ...invoiceBase,
    charge: "ch_1",
    payment_intent: "pi_1",
    subscription: "sub_1",
    subscription_details: { metadata },
    lines: { object: "list", data: [{ ...line, metadata: {} }] },
  },
  "2025-03-31": {
    ...invoiceBase,
    parent: {
      type: "subscription_details",
      quote_details: null,
      subscription_details: { metadata, subscription: "sub_1" },
    },
    lines: { object: "list", data: [{ ...line, metadata: {} }] },
  },
};

const event = (type: string, object: object) => ({ id: "evt_1", object: "event", type, data: { object } });
const saleOf = (type: string, object: object) => saleFromEvent(event(type, object));
const first = {
  customerExternalId: "user-1",
  amount: 4_900,
  currency: "EUR",
  clickId: "click-1",
  isRecurring: false,
  occurredAt: null,
};

describe("checkoutMetadata", () => {
  const input = { clickId: "click-1", customerKey: "user-1", programId: 7 };

  test("checkoutMetadata adds metadata to the session, and in mode subscription also to the subscription", () => {
    expect(checkoutMetadata(input)).toEqual({ metadata });
    expect(checkoutMetadata({ ...input, mode: "payment" })).toEqual({ metadata });
    const both = checkoutMetadata({ ...input, mode: "subscription" });
    expect(both).toEqual({ metadata, subscription_data: { metadata } });
    expect(both.metadata).not.toBe(both.subscription_data.metadata);
  });

  test.each([null, undefined, "", "x".repeat(501), "a b", JSON.parse('{"$ne":1}')])(
    "checkoutMetadata omits a click id of %j, so that Stripe accepts the other metadata",
    (clickId) => {
      const { svc_click_id: _, ...rest } = metadata;
      expect(checkoutMetadata({ ...input, clickId })).toEqual({ metadata: rest });
    },
  );

  test("checkoutMetadata throws for wrong arguments", () => {
    expect(() => checkoutMetadata({ ...input, customerKey: " " })).toThrow(TypeError);
    expect(() => checkoutMetadata({ ...input, customerKey: "x".repeat(256) })).toThrow(TypeError);
    expect(() => checkoutMetadata({ ...input, programId: "seven" })).toThrow(TypeError);
  });
});

describe("saleFromEvent", () => {
  test.each(["checkout.session.completed", "checkout.session.async_payment_succeeded"])(
    "saleFromEvent converts the Stripe event %s to a sale",
    (type) => {
      expect(saleOf(type, session)).toEqual({
        sale: { ...first, invoiceId: "pi_1", saleType: "payment", subscriptionId: null },
        reason: null,
      });
    },
  );

  test("saleFromEvent uses the id of a session's invoice, or else of its payment intent, or else of the session, expanded or not", () => {
    const idOf = (object: object) => saleOf("checkout.session.completed", object).sale?.invoiceId;
    expect(idOf({ ...session, invoice: "in_1" })).toBe("in_1");
    expect(idOf({ ...session, invoice: { id: "in_1", object: "invoice" } })).toBe("in_1");
    expect(idOf({ ...session, payment_intent: { id: "pi_1" } })).toBe("pi_1");
    expect(idOf({ ...session, payment_intent: null })).toBe("cs_test_a1");
  });

  test.each(Object.entries(invoices))("both Stripe events of a first payment become one sale, API %s", (_, invoice) => {
    const bySession = saleOf("checkout.session.completed", subscribing);
    expect(bySession).toEqual({
      sale: { ...first, invoiceId: "in_1", saleType: "subscription", subscriptionId: "sub_1" },
      reason: null,
    });
    expect(saleOf("invoice.paid", invoice)).toEqual(bySession);
  });

  test.each(Object.entries(invoices))("saleFromEvent converts a renewal, API version %s", (_, invoice) => {
    const renewal = { ...invoice, id: "in_2", billing_reason: "subscription_cycle" };
    expect(saleOf("invoice.paid", renewal)).toMatchObject({
      sale: { ...first, invoiceId: "in_2", isRecurring: "auto" },
    });
  });

  test("saleFromEvent converts an invoice with an expanded subscription", () => {
    const subscription = { id: "sub_1", object: "subscription" };
    const { parent, ...rest } = invoices["2025-03-31"];
    const details = { ...parent.subscription_details, subscription };
    const invoice = { ...rest, parent: { ...parent, subscription_details: details } };
    expect(saleOf("invoice.paid", invoice).sale?.subscriptionId).toBe("sub_1");
    expect(saleOf("checkout.session.completed", { ...subscribing, subscription }).sale?.subscriptionId).toBe("sub_1");
  });

  test("saleFromEvent converts an invoice without a subscription, with its own metadata", () => {
    const invoice = { ...invoiceBase, billing_reason: "manual", parent: null, metadata };
    expect(saleOf("invoice.paid", invoice)).toMatchObject({ sale: { saleType: "payment", subscriptionId: null } });
  });

  test.each<[string, string, object, string]>([
    ["an event of another type", "invoice.payment_failed", invoiceBase, "other_event"],
    ["a session that isn't paid yet", "checkout.session.completed", { ...session, payment_status: "unpaid" }, "unpaid"],
    ["an open invoice", "invoice.paid", { ...invoices["2025-03-31"], status: "open" }, "unpaid"],
    [
      "a free session",
      "checkout.session.completed",
      { ...session, amount_total: 0, payment_status: "no_payment_required" },
      "zero_amount",
    ],
    [
      "a session of mode setup",
      "checkout.session.completed",
      { ...session, mode: "setup", amount_total: null, currency: null, payment_status: "no_payment_required" },
      "zero_amount",
    ],
    ["a trial's invoice", "invoice.paid", { ...invoices["2025-03-31"], amount_paid: 0 }, "zero_amount"],
    ["a session of another application", "checkout.session.completed", { ...session, metadata: {} }, "no_customer_key"],
    ["a session without metadata", "checkout.session.completed", { ...session, metadata: null }, "no_customer_key"],
    ["an invoice of another application", "invoice.paid", { ...invoiceBase, parent: null }, "no_customer_key"],
  ])("saleFromEvent ignores %s", (_, type, object, reason) => {
    expect(saleOf(type, object)).toEqual({ sale: null, reason });
  });

  test("saleFromEvent converts a sale without a click, with its customer", () => {
    const { svc_click_id: _, ...rest } = metadata;
    const { sale } = saleOf("checkout.session.completed", { ...session, metadata: rest });
    expect(sale).toMatchObject({ customerExternalId: "user-1", clickId: null });
  });
});

describe("refundFromEvent", () => {
  const charge = {
    id: "ch_1",
    object: "charge",
    amount: 4_900,
    amount_refunded: 1_900,
    currency: "eur",
    payment_intent: "pi_1",
    refunded: false,
  };
  const told = { refundId: "ch_1", refundedTotal: 1_900, chargeTotal: 4_900, occurredAt: null };
  const refundOf = (object: object, invoiceOf: (charge: { id: string }) => unknown = () => null) =>
    refundFromEvent(event("charge.refunded", object), { invoiceOf: invoiceOf as () => null });

  test("refundFromEvent doesn't look up the invoice of a charge that contains it, as charges did until API version 2025-03-31", async () => {
    const notCalled = () => {
      throw new Error("looked up");
    };
    const refund = { invoiceId: "in_1", ...told };
    expect(await refundOf({ ...charge, invoice: "in_1" }, notCalled)).toEqual({ refund, reason: null });
    expect(await refundOf({ ...charge, invoice: { id: "in_1" } }, notCalled)).toEqual({ refund, reason: null });
    const ofPayment = { invoiceId: "pi_1", ...told };
    expect(await refundOf({ ...charge, invoice: null }, notCalled)).toEqual({ refund: ofPayment, reason: null });
  });

  test("refundFromEvent looks up the invoice of a charge that contains none, as is the case since API version 2025-03-31", async () => {
    const asked: unknown[] = [];
    const found = await refundOf(charge, async (asking) => {
      asked.push(asking);
      return "in_1";
    });
    expect(found).toEqual({ refund: { invoiceId: "in_1", ...told }, reason: null });
    expect(asked).toEqual([charge]);
    const none = { refund: { invoiceId: "pi_1", ...told }, reason: null };
    expect(await refundOf(charge, async () => null)).toEqual(none);
    expect(await refundOf(charge, () => undefined)).toEqual(none);
    await expect(refundOf(charge, () => Promise.reject(new Error("Stripe is down")))).rejects.toThrow("Stripe is down");
  });

  test("refundFromEvent ignores charges without a refund", async () => {
    const other = refundFromEvent(event("charge.succeeded", charge), { invoiceOf: () => null });
    expect(await other).toEqual({ refund: null, reason: "other_event" });
    expect(await refundOf({ ...charge, amount_refunded: 0 })).toEqual({ refund: null, reason: "zero_amount" });
    const unknown = { refund: null, reason: "unknown_payment" };
    expect(await refundOf({ ...charge, payment_intent: null })).toEqual(unknown);
  });

  test("refundFromEvent converts a charge's amounts to the unit of its sale", async () => {
    const found = await refundOf({ ...charge, currency: "isk", amount_refunded: 50_000 });
    expect(found.refund).toEqual({ invoiceId: "pi_1", ...told, refundedTotal: 500, chargeTotal: 49 });
  });
});

describe("the conversion of Stripe's amounts", () => {
  /** The currencies at Stripe that don't have two decimals, from https://docs.stripe.com/currencies */
  const stripeDigits: Readonly<Record<string, number>> = {
    ...Object.fromEntries(
      "BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF".split(" ").map((code) => [code, 0]),
    ),
    ...Object.fromEntries("BHD JOD KWD OMR TND".split(" ").map((code) => [code, 3])),
  };
  /** Currencies in our list that Stripe doesn't support, and for which it therefore has no unit. */
  const notAtStripe = "CLF IQD LYD UYI UYW".split(" ");
  const codes = currencyCodes().filter((code) => !notAtStripe.includes(code));

  test("the conversion of Stripe's amounts returns ISO 4217 units for any amount of any currency", () => {
    fc.assert(
      fc.property(fc.constantFrom(...codes), fc.integer({ min: 1, max: 1e8 }), (code, units) => {
        const isoDigits = currencyExponent(code) ?? Number.NaN;
        const stripe = stripeDigits[code] ?? 2;
        // Stripe's amounts are whole numbers of its own unit.
        const amount = units * 10 ** Math.max(0, isoDigits - stripe);
        const amount_total = Math.round(amount * 10 ** (stripe - isoDigits));
        const object = { ...session, currency: code.toLowerCase(), amount_total };
        expect(saleOf("checkout.session.completed", object).sale).toMatchObject({ amount, currency: code });
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ["isk", 500_00, 500],
    ["ugx", 500_00, 500],
    ["mga", 500, 500_00],
    ["jpy", 500, 500],
    ["kwd", 5_120, 5_120],
    ["huf", 1_000, 1_000],
    ["twd", 1_000, 1_000],
    ["usd", 4_900, 4_900],
  ])("the conversion of Stripe's amounts converts %s %d at Stripe to %d", (currency, amount_total, amount) => {
    expect(saleOf("checkout.session.completed", { ...session, currency, amount_total }).sale?.amount).toBe(amount);
  });
});
