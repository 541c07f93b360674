import type { TributaryClient } from "../client.ts";
import type { SaleInput, SaleItem } from "../inputs.ts";
import { joined } from "./answers.ts";
import type { Found } from "./found.ts";
import { type Keys, otherProgram } from "./keys.ts";

/** The amount in the smallest unit of an ISO 4217 currency. */
export interface Amount {
  readonly amount: number;
  readonly currency: string;
}

/** half_up(amount × part / whole); the whole amount if `whole` isn't positive. */
export function shareOf(amount: number, part: number, whole: number): number {
  if (part === whole || !(whole > 0)) return amount;
  const [a, p, w] = [BigInt(amount), BigInt(part), BigInt(whole)];
  return Number((2n * a * p + w) / (2n * w));
}

/** A successful payment, without its customer. */
export interface Payment {
  readonly id: string;
  readonly paid: Amount;
  readonly subscriptionId: string | undefined;
  /** `"auto"` if the event doesn't say whether the payment is a renewal. */
  readonly isRecurring: boolean | "auto";
  /** The time of the payment, in seconds. */
  readonly at: number | undefined;
  readonly couponCodes: readonly string[];
  /** Undefined if the items aren't known, or if their sum differs from the amount. */
  readonly items: readonly SaleItem[] | undefined;
}

export type PaymentFrom = Payment | "unpaid" | "zero_amount";

/**
 * Returns the sale for a payment. Undefined if nothing identifies the customer. All events of a payment give the same
 * fields, so that the later ones are repeats.
 */
export function saleOf(payment: Payment, { customerKey, clickId }: Keys): SaleInput | undefined {
  const { id, paid, subscriptionId, isRecurring, at, couponCodes, items } = payment;
  const sale = {
    ...paid,
    invoiceId: id,
    clickId: clickId ?? null,
    saleType: subscriptionId === undefined ? ("payment" as const) : ("subscription" as const),
    isRecurring,
    occurredAt: momentOf(at),
    ...(couponCodes.length > 0 && { couponCodes }),
    ...(items && { items }),
  };
  if (customerKey) return { ...sale, customerExternalId: customerKey, subscriptionId: subscriptionId ?? null };
  if (clickId) return { ...sale, clickId, subscriptionId: subscriptionId ?? null };
  return subscriptionId === undefined ? undefined : { ...sale, subscriptionId };
}

/** Returns the sale for a payment, or the reason why there is none. */
export function reported(
  payment: PaymentFrom,
  keys: Keys,
  { tributary }: { readonly tributary: TributaryClient },
): Found {
  if (payment === "unpaid") return { skip: "it isn't paid" };
  if (payment === "zero_amount") return { skip: "its amount is 0 or less" };
  if (!/^[a-z]{3}$/i.test(payment.paid.currency)) return { refused: "it has no currency" };
  const other = otherProgram(keys, tributary);
  if (other) return { refused: other };
  const sale = saleOf(payment, keys);
  const { doubt, ignored } = keys;
  if (!sale)
    return {
      refused: joined(ignored, "it names no customer and was not recorded. Set checkoutMetadata on the checkout"),
    };
  return { sale, ...(doubt && { doubt }), ...(ignored && { ignored }) };
}

/** Returns the time to report, but never a time in the future: a processor's clock may be ahead of the service's. */
export const momentOf = (seconds: number | undefined): Date | null =>
  seconds === undefined ? null : new Date(Math.min(seconds * 1_000, Date.now()));

/** Parses a time in ISO 8601 into seconds. Undefined if it isn't one. */
export function secondsIn(text: unknown): number | undefined {
  const ms = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms / 1_000;
}
