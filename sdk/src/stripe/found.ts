import type { TributaryClient } from "../client.ts";
import type { Found } from "../processors/found.ts";
import { isOfToday } from "../processors/settle.ts";
import type { Include } from "./amounts.ts";
import type { StripeClient } from "./look-up.ts";
import type { StripeEvent } from "./objects.ts";

export interface StripeOptions {
  readonly tributary: TributaryClient;
  /** Stripe's own client, for looking up further data. Without it, only `charge.refunded` reports refunds. */
  readonly stripe?: StripeClient | undefined;
  /**
   * The parts of a payment that earn commissions in addition to the price. Default: none, so that sales are net of tax
   * and shipping.
   */
  readonly include?: Include | undefined;
  /** True if the endpoint receives `invoice.paid`: with `stripe`, only that event reports payments with an invoice. */
  readonly invoices?: boolean | undefined;
  /** The kind of events that report refunds: the endpoint receives one of the two. Default: `refund.*`. */
  readonly refundEvents?: "refund.*" | "charge.refunded" | undefined;
  /**
   * Records Stripe's test payments like real ones, for a program that is used only for staging. Default: they are
   * recorded in the program's test book.
   */
  readonly staging?: boolean | undefined;
}

/** The result of evaluating an event. */
export type StripeFound =
  | Found
  /** Something is missing and can't be looked up. */
  | { readonly missing: string };

/** True while something that the event needs may still arrive. */
export const isYoung = ({ created }: StripeEvent): boolean => isOfToday(created);

export const withoutStripe = (what: string): string =>
  `pass stripe to handleStripeEvent: without it, ${what} can't be looked up`;
