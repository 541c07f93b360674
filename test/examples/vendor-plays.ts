import { currencyExponent } from "#domain/currency.ts";
import * as squeezed from "../sdk/lemon-squeezy-events.ts";
import * as paddle from "../sdk/paddle-events.ts";
import * as polar from "../sdk/polar-events.ts";
import { revenueCatEvent } from "./revenuecat-events.ts";
import { checkoutCompleted, disputeEvent, invoicePaid, refundEvent } from "./stripe-events.ts";
import { apiVersions, type Payment, paidOnce, renewed, subscribed } from "./stripe-payment.ts";

// One customer's payments at each processor, in one currency: a trial, the payment after it, a renewal and a single
// payment. One payment is partly refunded, one is fully refunded, and the refund of one is reversed.

export interface Setting {
  readonly currency: string;
  /** The three keys in the checkout's metadata. */
  readonly keys: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Amounts are in the currency's smallest unit by ISO 4217. */
export interface Sold {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly isRecurring: boolean;
  readonly refunded: number;
}

export interface Played {
  readonly events: readonly object[];
  readonly sales: readonly Sold[];
  /** The payments that Stripe's API contains. */
  readonly payments?: readonly Payment[];
}

export type Play = (setting: Setting) => Played;

/**
 * Amounts with tax, of the customer's payment and of the refund. Each is also a whole number in a unit a hundred times
 * as large.
 */
const [gross, tax, partOfGross, partOfTax] = [12_000, 2_000, 1_200, 200];
const [net, partOfNet] = [gross - tax, partOfGross - partOfTax];

const hourMs = 3_600_000;

/** The factors for currencies whose decimals at Stripe differ from ISO 4217: https://docs.stripe.com/currencies */
const stripeUnits: Readonly<Record<string, number>> = { ISK: 100, UGX: 100, MGA: 0.01 };
const inStripeUnit = (amount: number, currency: string) => Math.round(amount * (stripeUnits[currency] ?? 1));

/**
 * Currencies whose units differ in the same way between processors have the same kind. `npm test` tests at most one
 * currency of each kind.
 */
export const kindOfCurrency = (currency: string): string => {
  const { maximumFractionDigits } = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions();
  return `${currencyExponent(currency)} ${maximumFractionDigits} ${stripeUnits[currency] ?? 1}`;
};

type Ids = Readonly<Record<"first" | "renewal" | "once", string>>;

const soldAs = (ids: Ids, amount: number, currency: string): readonly Sold[] => [
  { id: ids.first, amount, currency, isRecurring: false, refunded: (amount * partOfNet) / net },
  { id: ids.renewal, amount, currency, isRecurring: true, refunded: amount },
  { id: ids.once, amount, currency, isRecurring: false, refunded: 0 },
];

const idsOf = (currency: string, prefix: string, separator: string): Ids => {
  const id = (name: string) => [prefix, currency, name].filter(Boolean).join(separator);
  return { first: id("1"), renewal: id("2"), once: id("3") };
};

const ofPaddle: Play = ({ currency, keys, at }) => {
  const ids = idsOf(currency, "txn", "_");
  const payment = { customData: keys, total: gross, tax, currency, at };
  const part = { id: `adj_${currency}_1`, transaction: ids.first, total: partOfGross, tax: partOfTax, currency };
  const whole = { id: `adj_${currency}_2`, transaction: ids.renewal, total: gross, tax, currency };
  const dispute = { transaction: ids.once, total: gross, tax, currency };
  const subscription = `sub_${currency}`;
  return {
    events: [
      paddle.completed({ ...payment, id: `txn_${currency}_0`, total: 0, tax: 0, subscription }),
      paddle.completed({ ...payment, id: ids.first, subscription, at: at + hourMs }),
      paddle.completed({
        ...payment,
        id: ids.renewal,
        subscription,
        origin: "subscription_recurring",
        at: at + hourMs,
      }),
      paddle.completed({ ...payment, id: ids.once }),
      paddle.adjusted({ ...part, status: "pending_approval" }),
      paddle.adjusted({ ...part, type: "updated" }),
      paddle.adjusted(whole),
      paddle.adjusted({ ...dispute, id: `adj_${currency}_3`, action: "chargeback", at: at + 2 * hourMs }),
      paddle.adjusted({ ...dispute, id: `adj_${currency}_4`, action: "chargeback_reverse", at: at + 3 * hourMs }),
    ],
    sales: soldAs(ids, net, currency),
  };
};

const ofPolar: Play = ({ currency, keys, at }) => {
  const ids = idsOf(currency, "order", "-");
  const unit = (amount: number) => inStripeUnit(amount, currency);
  const order = { metadata: keys, net: unit(net), tax: unit(tax), currency: currency.toLowerCase(), at };
  const ofTrial = { ...order, subscription: `sub-${currency}`, trialEnd: at + hourMs };
  const first = { ...ofTrial, id: ids.first, reason: "subscription_cycle", at: at + hourMs } as const;
  const renewal = { ...first, id: ids.renewal, at: at + 2 * hourMs };
  return {
    events: [
      polar.orderPaid({ ...ofTrial, id: `order-${currency}-0`, reason: "subscription_create", net: 0, tax: 0 }),
      polar.orderPaid(first),
      polar.orderPaid(renewal),
      polar.orderPaid({ ...order, id: ids.once }),
      polar.orderRefunded({ ...first, refunded: unit(partOfNet) }),
      polar.orderRefunded({ ...renewal, refunded: unit(net) }),
      polar.refundUpdated(ids.once, "pending"),
    ],
    sales: soldAs(ids, net, currency),
  };
};

/**
 * Lemon Squeezy documents "Amounts are in cents", also for currencies without cents. Events with amounts in the
 * currency's own unit have been seen.
 */
const ofLemonSqueezy: Play = ({ currency, keys, at }) => {
  const digits = currencyExponent(currency) ?? 2;
  const priceIn = (decimals: number) =>
    `${currency} ${(gross / 10 ** digits).toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })}`;
  const cents = (amount: number) => Math.round(amount * 10 ** (2 - digits));
  const common = { customData: keys, currency, at };
  const order = { ...common, total: cents(gross), tax: cents(tax), formatted: priceIn(2) };
  // Only units of account, such as CLF, have four decimals, and no shop sells in them.
  const invoice = digits > 3 ? order : { ...common, total: gross, tax, formatted: priceIn(digits) };
  const number = [...currency].map((letter) => letter.charCodeAt(0)).join("");
  const ids = { first: `order_${number}1`, renewal: `subscription_invoice_${number}2`, once: `order_${number}3` };
  return {
    events: [
      squeezed.orderCreated({ ...order, id: `${number}0`, total: 0, tax: 0 }),
      squeezed.orderCreated({ ...order, id: `${number}1` }),
      squeezed.invoicePaid({ ...order, id: `${number}1`, reason: "initial" }),
      squeezed.invoicePaid({ ...invoice, id: `${number}2`, subscription: Number(number) }),
      squeezed.orderCreated({ ...order, id: `${number}3` }),
      squeezed.orderRefunded({ ...order, id: `${number}1`, refunded: cents(partOfGross) }),
      squeezed.invoiceRefunded({ ...invoice, id: `${number}2`, refunded: invoice.total }),
    ],
    // Orders don't contain their subscription, so the first invoice counts as its first payment.
    sales: soldAs(ids, net, currency).map((sale) => ({ ...sale, isRecurring: false })),
  };
};

const ofRevenueCat: Play = ({ currency, at }) => {
  const ids = idsOf(currency, "", "-");
  const sold = (id: string) => ({ transaction_id: id, original_transaction_id: ids.first });
  const price_in_purchased_currency = gross / 10 ** (currencyExponent(currency) ?? 2);
  const shares = { tax_percentage: 0.1, commission_percentage: 0.15 };
  const event = (type: string, id: string, over: object = {}, afterMs = 0) =>
    revenueCatEvent({
      ...{ type, currency, price_in_purchased_currency, ...shares, ...sold(id), ...over },
      ...{ purchased_at_ms: at, event_timestamp_ms: at + afterMs },
    });
  const refund = { cancel_reason: "CUSTOMER_SUPPORT", price_in_purchased_currency: -price_in_purchased_currency };
  return {
    events: [
      event("INITIAL_PURCHASE", `${currency}-0`, { period_type: "TRIAL", price_in_purchased_currency: 0 }),
      event("RENEWAL", ids.first, { is_trial_conversion: true }),
      event("RENEWAL", ids.renewal, { is_trial_conversion: false }),
      event("NON_RENEWING_PURCHASE", ids.once),
      event("CANCELLATION", ids.first, { cancel_reason: "UNSUBSCRIBE" }),
      event("CANCELLATION", ids.renewal, refund, hourMs),
      event("CANCELLATION", ids.once, refund, hourMs),
      event("REFUND_REVERSED", ids.once, {}, 2 * hourMs),
    ],
    sales: soldAs(ids, gross * 0.75, currency).map((sale) => ({
      ...sale,
      id: `APP_STORE_${sale.id}`,
      // This processor doesn't report the amount of a partial refund.
      refunded: sale.isRecurring ? sale.refunded : 0,
    })),
  };
};

const ofStripe: Play = ({ currency, keys, at }) => {
  const unit = (amount: number) => inStripeUnit(amount, currency);
  const paid = { currency: currency.toLowerCase(), amount: unit(gross), tax: unit(tax), metadata: { ...keys } };
  const seconds = Math.floor(at / 1_000);
  const start = subscribed({ ...paid, api: apiVersions[2], amount: 0, tax: 0, at: seconds, trialEnd: seconds + 3_600 });
  const first = renewed(start, { amount: paid.amount, tax: paid.tax, at: seconds + 3_600 });
  const renewal = renewed(first, { trialEnd: null, at: seconds + 7_200 });
  const once = paidOnce({ ...paid, api: apiVersions[2], at: seconds });
  const dispute = { id: `dp_${currency}`, amount: paid.amount };
  return {
    payments: [start, first, renewal, once],
    events: [
      checkoutCompleted(start, { payment_status: "no_payment_required" }),
      invoicePaid(start),
      invoicePaid(first),
      invoicePaid(renewal),
      checkoutCompleted(once),
      refundEvent(first, { id: `re_${currency}_1`, amount: unit(partOfGross) }),
      refundEvent(renewal, { id: `re_${currency}_2`, amount: paid.amount }),
      disputeEvent(once, dispute, "funds_withdrawn", 120),
      disputeEvent(once, dispute, "funds_reinstated", 240),
    ],
    sales: soldAs(
      { first: `${first.invoice}`, renewal: `${renewal.invoice}`, once: once.paymentIntent },
      net,
      currency,
    ),
  };
};

export const plays = {
  integration: ofStripe,
  paddle: ofPaddle,
  "lemon-squeezy": ofLemonSqueezy,
  polar: ofPolar,
  revenuecat: ofRevenueCat,
} as const satisfies Record<string, Play>;
