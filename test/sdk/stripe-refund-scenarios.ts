import {
  chargeRefunded,
  checkoutCompleted,
  creditNote,
  disputeEvent,
  invoicePaid,
  refundEvent,
} from "../examples/stripe-events.ts";
import { paidOnce, renewed, stripeId, subscribed } from "../examples/stripe-payment.ts";
import { basis, refundsOf, type Scenario, sale, withFields } from "./stripe-scenario.ts";

export const refundScenarios: Readonly<Record<string, Scenario>> = {
  "a charge's refund that failed": {
    needsStripe: true,
    play(setting) {
      const payment = paidOnce({ ...basis(setting), refundedTotal: 1_000 });
      const failed = { id: stripeId("re"), amount: 3_900, status: "failed" } as const;
      return {
        payments: [payment],
        events: [
          checkoutCompleted(payment),
          chargeRefunded(payment, 1_000, 60),
          chargeRefunded(payment, 4_900, 70),
          refundEvent(payment, failed, "refund.failed", 90),
        ],
        sales: [sale(payment, 4_900, 1_000)],
        options: { refundEvents: "charge.refunded" },
      };
    },
  },
  "refunds, one of which failed": {
    needsStripe: true,
    play(setting) {
      const payment = paidOnce({ ...basis(setting), amount: 5_831, tax: 931 });
      const [half, rest, failed] = [2_915, 500, 1_000].map((amount) => ({ id: stripeId("re"), amount }));
      if (!half || !rest || !failed) throw new Error("three refunds");
      return {
        payments: [payment],
        events: [
          checkoutCompleted(payment),
          refundEvent(payment, { ...half, status: "pending" }),
          refundEvent(payment, half, "refund.updated"),
          refundEvent(payment, failed),
          refundEvent(payment, { ...failed, status: "failed" }, "refund.failed", 90),
          refundEvent(payment, { ...failed, status: "failed" }, "charge.refund.updated", 90),
          refundEvent(payment, rest),
          refundEvent(payment, { id: stripeId("re"), amount: 100, status: "requires_action" }),
          // Reports the same refund again, so it doesn't count.
          chargeRefunded(payment, 3_415),
        ],
        // half_up(4900 × 3415 / 5831)
        sales: [sale(payment, 4_900, 2_870)],
        options: { refundEvents: "refund.*" },
      };
    },
  },
  "a refund of the tax alone": {
    needsStripe: true,
    play(setting) {
      const payment = paidOnce({ ...basis(setting), amount: 5_831, tax: 931 });
      return {
        payments: [payment],
        events: [checkoutCompleted(payment), refundEvent(payment, { id: stripeId("re"), amount: 931 })],
        // half_up(4900 × 931 / 5831)
        sales: [sale(payment, 4_900, 782)],
      };
    },
  },
  "the refund of a renewal": {
    needsStripe: true,
    play(setting) {
      const first = subscribed({ ...basis(setting), amount: 5_831, tax: 931 });
      const second = renewed(first);
      return {
        payments: [first, second],
        events: [
          checkoutCompleted(first),
          invoicePaid(first),
          invoicePaid(second),
          refundEvent(second, { id: stripeId("re"), amount: 5_831 }),
        ],
        sales: [sale(first, 4_900), sale(second, 4_900, 4_900)],
      };
    },
  },
  "a charge's running total, of a sale net of tax": {
    play(setting) {
      const payment = paidOnce({ ...basis(setting), amount: 5_831, tax: 931 });
      return {
        payments: [payment],
        events: [
          checkoutCompleted(payment),
          chargeRefunded(payment, 1_000, 60),
          chargeRefunded(payment, 2_915, 70),
          refundEvent(payment, { id: stripeId("re"), amount: 1_915 }),
        ],
        // half_up(4900 × 2915 / 5831)
        sales: [sale(payment, 4_900, 2_450)],
        options: { refundEvents: "charge.refunded" },
      };
    },
  },
  "disputes: an inquiry, one that is won, and one that is lost": {
    needsStripe: true,
    play(setting) {
      const payment = paidOnce(basis(setting));
      const [won, lost] = [2_000, 1_000].map((amount) => ({ id: stripeId("dp"), amount }));
      if (!won || !lost) throw new Error("two disputes");
      return {
        payments: [payment],
        events: [
          checkoutCompleted(payment),
          disputeEvent(payment, { id: stripeId("dp"), amount: 4_900 }, "created", 110),
          disputeEvent(payment, won, "created", 115),
          disputeEvent(payment, won, "funds_withdrawn", 120),
          disputeEvent(payment, lost, "funds_withdrawn", 130),
          disputeEvent(payment, won, "funds_reinstated", 200),
          disputeEvent(payment, lost, "closed", 210),
        ],
        sales: [sale(payment, 4_900, 1_000)],
      };
    },
  },
  "a dispute that is won and then lost": {
    needsStripe: true,
    play(setting) {
      const payment = paidOnce(basis(setting));
      const dispute = { id: stripeId("dp"), amount: 4_900 };
      return {
        payments: [payment],
        events: [
          checkoutCompleted(payment),
          disputeEvent(payment, dispute, "funds_withdrawn", 120),
          disputeEvent(payment, dispute, "funds_reinstated", 200),
          disputeEvent(payment, dispute, "funds_withdrawn", 300),
        ],
        sales: [sale(payment, 4_900, 4_900)],
      };
    },
  },
  "a dispute in another currency than the payment": {
    needsStripe: true,
    play(setting) {
      const payment = paidOnce({ ...basis(setting), amount: 5_831, tax: 931 });
      const told = disputeEvent(payment, { id: stripeId("dp"), amount: 4_200 }, "funds_withdrawn", 120);
      return {
        payments: [payment],
        events: [checkoutCompleted(payment), withFields(told, { currency: "gbp" })],
        sales: [sale(payment, 4_900, 4_900)],
      };
    },
  },
  "credit notes: money that was sent back, a refund, and a credit": {
    needsStripe: true,
    play(setting) {
      const first = subscribed({ ...basis(setting), amount: 5_831, tax: 931 });
      const outside = { id: stripeId("cn"), amount: 1_000, outOfBand: 1_000 };
      const voided = { id: stripeId("cn"), amount: 500, outOfBand: 500 };
      return {
        payments: [first],
        events: [
          checkoutCompleted(first),
          invoicePaid(first),
          creditNote(first, outside),
          creditNote(first, voided),
          creditNote(first, voided, "voided", 300),
          refundEvent(first, { id: stripeId("re"), amount: 1_915 }),
          creditNote(first, { id: stripeId("cn"), amount: 1_915, outOfBand: 0 }),
        ],
        // half_up(4900 × 2915 / 5831)
        sales: [sale(first, 4_900, 2_450)],
      };
    },
  },
  "refunds as the endpoint is set up": {
    play(setting) {
      const payment = paidOnce(basis(setting));
      const options = refundsOf(setting);
      return {
        payments: [payment],
        events: [
          checkoutCompleted(payment),
          refundEvent(payment, { id: stripeId("re"), amount: 4_900 }),
          chargeRefunded(payment, 4_900),
        ],
        sales: [sale(payment, 4_900, 4_900)],
        options,
      };
    },
  },
};
