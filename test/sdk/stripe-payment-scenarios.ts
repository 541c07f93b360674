import {
  chargeRefunded,
  checkoutCompleted,
  checkoutPaidLater,
  intentSucceeded,
  invoicePaid,
  refundEvent,
  type StripeEventJson,
} from "../examples/stripe-events.ts";
import { type Payment, paidOnce, renewed, stripeId, subscribed } from "../examples/stripe-payment.ts";
import {
  basis,
  none,
  type Played,
  refundsOf,
  type Scenario,
  type Setting,
  sale,
  withFields,
} from "./stripe-scenario.ts";

const legacyType = (event: StripeEventJson): StripeEventJson => ({ ...event, type: "invoice.payment_succeeded" });

/** A subscription that begins without a payment. Without Stripe's API, its first paid invoice looks like a renewal. */
const paidLater = ({ hasStripe }: Setting, start: Payment, first: Payment, second: Payment): Played => ({
  payments: [start, first, second],
  events: [
    checkoutCompleted(start, { payment_status: "no_payment_required" }),
    invoicePaid(start),
    invoicePaid(first),
    invoicePaid(second),
  ],
  sales: [{ ...sale(first, 4_900), isRenewal: !hasStripe }, sale(second, 4_900)],
});

export const paymentScenarios: Readonly<Record<string, Scenario>> = {
  "a payment, net of tax and shipping": {
    play(setting) {
      const payment = paidOnce({ ...basis(setting), amount: 6_331, tax: 931, shipping: 500 });
      return { payments: [payment], events: [checkoutCompleted(payment)], sales: [sale(payment, 4_900)] };
    },
  },
  "a payment, with tax and shipping": {
    play(setting) {
      const payment = paidOnce({ ...basis(setting), amount: 6_331, tax: 931, shipping: 500 });
      const options = { include: ["tax", "shipping"] } as const;
      return { payments: [payment], events: [checkoutCompleted(payment)], sales: [sale(payment, 6_331)], options };
    },
  },
  "a subscription with renewals, by both events": {
    play(setting) {
      const first = subscribed({ ...basis(setting), amount: 5_831, tax: 931 });
      const second = renewed(first);
      return {
        payments: [first, second],
        events: [checkoutCompleted(first), invoicePaid(first), invoicePaid(second)],
        sales: [sale(first, 4_900), sale(second, 4_900)],
      };
    },
  },
  "an invoice that lists its taxes, and no total before them": {
    play(setting) {
      const payment = subscribed({ ...basis(setting), amount: 5_831, tax: 931 });
      const taxes = [900, 31].map((amount) => ({ amount, tax_behavior: "exclusive", type: "tax_rate_details" }));
      const invoice = withFields(invoicePaid(payment), { total_excluding_tax: null, total_taxes: taxes });
      return { payments: [payment], events: [invoice], sales: [sale(payment, 4_900)] };
    },
  },
  "a subscription, by its invoices alone": {
    needsStripe: true,
    play(setting) {
      const first = subscribed({ ...basis(setting), subscriptionMetadata: {} });
      const second = renewed(first);
      return {
        payments: [first, second],
        events: [checkoutCompleted(first), invoicePaid(first), invoicePaid(second)],
        sales: [sale(first, 4_900), sale(second, 4_900)],
        options: { invoices: true },
      };
    },
  },
  "a subscription with metadata on the session alone": {
    play(setting) {
      const first = subscribed({ ...basis(setting), subscriptionMetadata: {} });
      const second = renewed(first);
      return {
        payments: [first, second],
        events: [checkoutCompleted(first), invoicePaid(first), invoicePaid(second)],
        sales: [sale(first, 4_900), sale(second, 4_900)],
      };
    },
  },
  "a subscription with metadata on the subscription alone": {
    play(setting) {
      const first = subscribed({ ...none(setting), subscriptionMetadata: setting.keys });
      const second = renewed(first);
      return {
        payments: [first, second],
        events: [checkoutCompleted(first), invoicePaid(first), invoicePaid(second)],
        sales: [sale(first, 4_900), sale(second, 4_900)],
      };
    },
  },
  "a subscription with metadata on the Stripe customer alone": {
    needsStripe: true,
    play(setting) {
      const first = subscribed({ ...none(setting), customerMetadata: setting.keys });
      const second = renewed(first);
      return {
        payments: [first, second],
        events: [checkoutCompleted(first), invoicePaid(first), invoicePaid(second)],
        sales: [sale(first, 4_900), sale(second, 4_900)],
      };
    },
  },
  "a payment link's subscription, by its client_reference_id": {
    play(setting) {
      const first = subscribed({ ...none(setting), clientReference: setting.keys.svc_customer_key ?? null });
      const second = renewed(first);
      return {
        payments: [first, second],
        events: [checkoutCompleted(first), invoicePaid(first), legacyType(invoicePaid(second))],
        sales: [sale(first, 4_900), sale(second, 4_900)],
      };
    },
  },
  "a guest's payment, by the click alone": {
    isGuest: true,
    play(setting) {
      const { svc_click_id = "", program_id = "" } = setting.keys;
      const payment = paidOnce({ ...none(setting), metadata: { svc_click_id, program_id } });
      return { payments: [payment], events: [checkoutCompleted(payment)], sales: [sale(payment, 4_900)] };
    },
  },
  "a payment intent of one's own form": {
    play(setting) {
      const payment = paidOnce({ ...none(setting), session: "", intentMetadata: setting.keys });
      const events = [intentSucceeded(payment), chargeRefunded(payment, 900)];
      const sales = [sale(payment, 4_900, 900)];
      return { payments: [payment], events, sales, options: { refundEvents: "charge.refunded" } };
    },
  },
  "a checkout's own payment intent": {
    play(setting) {
      const payment = paidOnce({ ...basis(setting), amount: 5_831, tax: 931 });
      const events = [intentSucceeded(payment), checkoutCompleted(payment)];
      return { payments: [payment], events, sales: [sale(payment, 4_900)] };
    },
  },
  "a checkout that is captured later": {
    play(setting) {
      const own = { captureMethod: "manual", intentMetadata: setting.keys } as const;
      const payment = paidOnce({ ...basis(setting), ...own });
      const events = [checkoutCompleted(payment), intentSucceeded(payment)];
      return { payments: [payment], events, sales: [sale(payment, 4_900)] };
    },
  },
  "a checkout that is captured later, with tax": {
    needsStripe: true,
    play(setting) {
      const payment = paidOnce({ ...basis(setting), amount: 5_831, tax: 931, captureMethod: "manual" });
      const events = [checkoutCompleted(payment), intentSucceeded(payment)];
      return { payments: [payment], events, sales: [sale(payment, 4_900)] };
    },
  },
  "a checkout that is captured in part": {
    play(setting) {
      const own = { captureMethod: "manual", intentMetadata: setting.keys, uncaptured: 1_000 } as const;
      const payment = paidOnce({ ...basis(setting), ...own });
      return {
        payments: [payment],
        events: [
          checkoutCompleted(payment),
          intentSucceeded(payment),
          refundEvent(payment, { id: stripeId("re"), amount: 1_000, isRelease: true }),
          // A real refund with the same amount as the released part.
          refundEvent(payment, { id: stripeId("re"), amount: 1_000 }),
          chargeRefunded(payment, 1_000),
        ],
        sales: [sale(payment, 4_900, 1_000)],
        options: refundsOf(setting),
      };
    },
  },
  "an authorization that is never captured": {
    play(setting) {
      const payment = paidOnce({ ...basis(setting), amount: 0, captureMethod: "manual", uncaptured: 4_900 });
      const charge = chargeRefunded(payment, 0);
      return {
        payments: [payment],
        events: [
          checkoutCompleted(payment),
          refundEvent(payment, { id: stripeId("re"), amount: 4_900, isRelease: true }),
          withFields(charge, { captured: false }),
        ],
        sales: [],
        options: refundsOf(setting),
      };
    },
  },
  "a checkout whose card alone is captured later": {
    needsStripe: true,
    play(setting) {
      const payment = paidOnce(basis(setting));
      const options = { payment_method_options: { card: { capture_method: "manual" } } };
      const events = [
        checkoutCompleted(payment, { payment_status: "unpaid" }),
        withFields(intentSucceeded(payment), options),
      ];
      return { payments: [payment], events, sales: [sale(payment, 4_900)] };
    },
  },
  "a debit that takes days": {
    play(setting) {
      const payment = paidOnce(basis(setting));
      const events = [checkoutCompleted(payment, { payment_status: "unpaid" }), checkoutPaidLater(payment)];
      return { payments: [payment], events, sales: [sale(payment, 4_900)] };
    },
  },
  "a trial": {
    play(setting) {
      const start = subscribed({ ...basis(setting), amount: 0, trialEnd: setting.at });
      const first = renewed(start, { amount: 4_900 });
      return paidLater(setting, start, first, renewed(first, { trialEnd: null, at: setting.at + 100 }));
    },
  },
  "a first month that a coupon paid": {
    play(setting) {
      const free = subscribed({ ...basis(setting), amount: 0 });
      const first = renewed(free, { amount: 4_900, at: setting.at + 50 });
      return paidLater(setting, free, first, renewed(first, { at: setting.at + 100 }));
    },
  },
  "an upgrade, a credit and an empty invoice": {
    play(setting) {
      const first = subscribed(basis(setting));
      const [upgrade, credit, empty] = [2_000, -1_000, 0].map((amount) => renewed(first, { amount }));
      if (!upgrade || !credit || !empty) throw new Error("three invoices");
      const prorated = { billing_reason: "subscription_update" };
      return {
        payments: [first, upgrade, credit, empty],
        events: [
          checkoutCompleted(first),
          invoicePaid(first),
          ...[upgrade, credit, empty].map((payment) => withFields(invoicePaid(payment), prorated)),
        ],
        sales: [sale(first, 4_900), sale(upgrade, 2_000)],
      };
    },
  },
  "a payment that the customer's balance covers in part": {
    needsStripe: true,
    play(setting) {
      const first = subscribed({ ...basis(setting), amount: 2_900, balance: 2_000 });
      return {
        payments: [first],
        events: [
          checkoutCompleted(first),
          invoicePaid(first),
          refundEvent(first, { id: stripeId("re"), amount: 2_900 }),
        ],
        sales: [sale(first, 2_900, 2_900)],
      };
    },
  },
  "a price that was shown in the customer's currency": {
    play(setting) {
      const payment = paidOnce({ ...basis(setting), currency: "gbp", amount: 3_900, tax: 650 });
      const shown = { amount_subtotal: 4_083, amount_total: 4_900, source_currency: setting.currency };
      const session = checkoutCompleted(payment);
      return {
        payments: [payment],
        events: [
          withFields(session, { currency_conversion: { ...shown, fx_rate: "0.79591" } }),
          chargeRefunded(payment, 1_950),
        ],
        // The amount is half_up(4900 × 3250 / 3900), and half of it is refunded.
        sales: [{ ...sale(payment, 4_083, 2_042), currency: setting.currency.toUpperCase() }],
        options: { refundEvents: "charge.refunded" },
      };
    },
  },
  "another program's payment": {
    play(setting) {
      const payment = paidOnce({ ...basis(setting), metadata: { ...setting.keys, program_id: "99" } });
      return { payments: [payment], events: [checkoutCompleted(payment)], sales: [] };
    },
  },
};
