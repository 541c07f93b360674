import type { TributaryClient } from "../client.ts";
import type { RefundInput, SaleInput } from "../inputs.ts";
import type { Include } from "./amounts.ts";
import type { StripeClient } from "./look-up.ts";
import type { StripeEvent } from "./objects.ts";

export interface StripeOptions {
  readonly tributary: TributaryClient;
  /** Stripe's own client, to look up further data. Without it, only `charge.refunded` reports refunds. */
  readonly stripe?: StripeClient | undefined;
  /** Additional parts of a payment that earn. Default: none, so that sales are net of tax and shipping. */
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

interface Doubtful {
  /** Passed to `onError` once it is recorded; for a sale, only if no call has named its customer before. */
  readonly doubt?: string;
}

/** A call that an event leads to. */
export type Reported =
  | ({ readonly sale: SaleInput } & Doubtful)
  /** `ifUnknown`: the reason why the sale may have a different id than the refund names. */
  | ({ readonly refund: RefundInput; readonly ifUnknown?: string } & Doubtful);

/** The result of evaluating an event. */
export type Found =
  | Reported
  /** Nothing to report. */
  | { readonly skip: string }
  /** The event can't be reported. */
  | { readonly refused: string }
  /** Something is missing and can't be looked up. */
  | { readonly missing: string };

const dayMs = 24 * 60 * 60 * 1_000;

/** True while something that the event needs may still arrive. */
export const isYoung = ({ created }: StripeEvent): boolean =>
  created !== undefined && Date.now() - created * 1_000 < dayMs;

export const withoutStripe = (what: string): string =>
  `pass stripe to handleStripeEvent: without it, ${what} can't be looked up`;
