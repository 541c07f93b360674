import type { TributaryClient } from "../client.ts";
import type { RefundInput, SaleInput } from "../inputs.ts";
import type { Include } from "./amounts.ts";
import type { StripeClient } from "./look-up.ts";
import type { StripeEvent } from "./objects.ts";

export interface StripeOptions {
  readonly tributary: TributaryClient;
  /** Stripe's own client, for what an event doesn't say. Without it refunds are taken from `charge.refunded` alone. */
  readonly stripe?: StripeClient | undefined;
  /** Parts of a payment that earn too. Default: none, so that sales are net of tax and shipping. */
  readonly include?: Include | undefined;
  /** The endpoint receives `invoice.paid`: with `stripe`, payments with an invoice are then taken from it alone. */
  readonly invoices?: boolean | undefined;
  /** The events that report refunds: the endpoint receives one kind. Default: `refund.*`. */
  readonly refundEvents?: "refund.*" | "charge.refunded" | undefined;
  /**
   * Takes Stripe's test payments for real ones, for a program that is only used for staging. Default: they are recorded in
   * the program's test book.
   */
  readonly staging?: boolean | undefined;
}

/** The result of looking at an event. */
export type Found =
  | { readonly sale: SaleInput }
  /** `ifUnknown`: why the sale may have another id than the refund names. */
  | { readonly refund: RefundInput; readonly ifUnknown?: string }
  /** Nothing to report. */
  | { readonly skip: string }
  /** Nothing that can be reported. */
  | { readonly refused: string }
  /** Something that can't be looked up. */
  | { readonly missing: string };

const dayMs = 24 * 60 * 60 * 1_000;

/** What an event needs may still be on its way. */
export const isYoung = ({ created }: StripeEvent): boolean =>
  created !== undefined && Date.now() - created * 1_000 < dayMs;

export const withoutStripe = (what: string): string =>
  `pass stripe to handleStripeEvent: without it, ${what} can't be looked up`;
