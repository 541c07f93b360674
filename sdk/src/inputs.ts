import type { TrackingProblem } from "./results.ts";
import type { Signal } from "./transport.ts";

type Optional<T> = T | null | undefined;

/** Goes with any call, and is stored with it. At most 8 KiB as JSON. */
export type AdditionalData = Readonly<Record<string, unknown>>;

/** Of one call. */
export interface CallOptions {
  /** Hears that the call failed, in place of the client's `onError`. */
  readonly onError?: (problem: TrackingProblem) => void;
  /** For each attempt, in milliseconds, in place of the client's. */
  readonly timeoutMs?: number;
  /** Attempts beyond the first, in place of the client's. */
  readonly retries?: number;
  /** Ends the call when it is aborted: the result is a `NetworkError`, and the call may have been recorded. */
  readonly signal?: Signal | undefined;
}

/** A sign-up. */
export interface LeadInput {
  /** Your own stable id of the customer, to the letter: sales name the same. 1 to 255 characters. */
  readonly customerExternalId: string;
  /** What the browser forwarded. Without it the customer has no partner; one that can't be a click id is left out. */
  readonly clickId?: Optional<string>;
  /** Earlier clicks of the visitor, newest last. The last 20 count. */
  readonly clickIds?: Optional<readonly string[]>;
  /** Stored as a keyed hash and a mask. */
  readonly email?: Optional<string>;
  readonly sessionId?: Optional<string>;
  readonly pageUrl?: Optional<string>;
  /** Must agree with the key. */
  readonly programId?: Optional<number | string>;
  /** When it happened, at most 400 days ago. Default: now. A string is ISO 8601 with an offset. */
  readonly occurredAt?: Optional<Date | string>;
  /** True records it in the test book. */
  readonly testMode?: Optional<boolean>;
  readonly additionalData?: Optional<AdditionalData>;
}

interface Payment {
  /** In the currency's smallest unit: 4900 is 49.00 EUR, 500 is 500 JPY, 1234 is 1.234 KWD. 0 is skipped. */
  readonly amount: number;
  /** Your own id of this payment: it counts once, for ever. 1 to 255 characters. */
  readonly invoiceId: string;
  /** ISO 4217. Default: the program's. */
  readonly currency?: Optional<string>;
  /** Finds the partner of a customer who is unknown or has none. */
  readonly clickId?: Optional<string>;
  /**
   * Earlier clicks of the visitor, newest last. The last 20 count. A program with `first_click` needs them: if you only
   * know the newest click, report the clicks with the lead instead.
   */
  readonly clickIds?: Optional<readonly string[]>;
  /** When it happened, at most 400 days ago. Default: now. A string is ISO 8601 with an offset. */
  readonly occurredAt?: Optional<Date | string>;
  /** Default: `payment`. */
  readonly saleType?: Optional<"payment" | "subscription">;
  /** True for a renewal. */
  readonly isRecurring?: Optional<boolean>;
  readonly subscriptionInterval?: Optional<"monthly" | "quarterly" | "annual">;
  /** Cut at 255 characters. */
  readonly productId?: Optional<string>;
  /** Cut at 255 characters. */
  readonly eventName?: Optional<string>;
  /** Any JSON, at most 16 KiB. */
  readonly lineItems?: unknown;
  readonly additionalData?: Optional<AdditionalData & { readonly test_mode?: never }>;
}

/** A payment that succeeded: by a customer, by whoever has a click, or in a subscription. */
export type SaleInput =
  | (Payment & {
      /** The customer, as in their lead. */
      readonly customerExternalId: string;
      /** Later sales of the subscription can name it instead of the customer. */
      readonly subscriptionId?: Optional<string>;
    })
  | (Payment & {
      /**
       * A subscription that an earlier sale named. With neither `customerExternalId` nor `clickId`, the sale belongs to
       * the customer of the latest of those sales.
       */
      readonly subscriptionId: string;
      readonly customerExternalId?: Optional<string>;
    })
  | (Payment & {
      /** A guest's: the customer is known by the click alone. */
      readonly clickId: string;
      readonly subscriptionId?: Optional<string>;
      readonly customerExternalId?: Optional<string>;
    });

interface RefundOfSale {
  /** The sale's. */
  readonly invoiceId: string;
  /**
   * What the customer paid for the whole sale, all charges together, in the unit your processor reports refunds in. Set
   * it where that isn't the sale's `amount`, because you report sales net of tax, for example. The refund is scaled to
   * the sale. Send the same value with every refund of the sale that needs it.
   */
  readonly chargeTotal?: Optional<number>;
  /** Cut at 255 characters. */
  readonly reason?: Optional<string>;
  /** Default: now. A string is ISO 8601 with an offset. */
  readonly occurredAt?: Optional<Date | string>;
  /** True refunds a sale of the test book. */
  readonly testMode?: Optional<boolean>;
  readonly additionalData?: Optional<AdditionalData>;
}

interface NotCanceled {
  readonly cancel?: Optional<false>;
}

/** A refund of an amount, up to a running total, or of all that is left; or the cancellation of an earlier one. */
export type RefundInput =
  | (RefundOfSale &
      NotCanceled & {
        /** Of this refund, in the smallest unit of the sale's currency, or in that of `chargeTotal`. 0 is skipped. */
        readonly amount: number;
        /** Your own id of this refund: it counts once. Without one, each repeat would count again. */
        readonly refundId: string;
        readonly refundedTotal?: null | undefined;
      })
  | (RefundOfSale &
      NotCanceled & {
        /** The running total of this `refundId`, or of the whole sale if there is none. 0 is skipped. */
        readonly refundedTotal: number;
        /** What the total is of, a charge for example. Totals of different ids add up. */
        readonly refundId?: Optional<string>;
        readonly amount?: null | undefined;
      })
  | (RefundOfSale &
      NotCanceled & {
        /** Your own id of this refund. You need one to be able to cancel it. */
        readonly refundId?: Optional<string>;
        readonly amount?: null | undefined;
        readonly refundedTotal?: null | undefined;
      })
  | (RefundOfSale & {
      /** The refund with this `refundId` didn't happen: it failed, or you won the dispute. */
      readonly cancel: true;
      readonly refundId: string;
      /** What is left of this refund's total, 0 included: a higher total may follow. Without it, the refund is closed. */
      readonly refundedTotal?: Optional<number>;
      readonly amount?: null | undefined;
    });

/** A visit by a partner's link. */
export interface ClickInput {
  /** The landing URL; its `aff` parameter is the partner's code. */
  readonly affiliateUrl: string;
  /** Default: the one that the key names. */
  readonly programId?: Optional<number | string>;
  /** Your own id of this click, at most 64 characters: per link, it counts once in 24 hours. Default: a random one. */
  readonly eventId?: Optional<string>;
  readonly pageUrl?: Optional<string>;
  readonly referrerUrl?: Optional<string>;
  /** Tells visitors apart. Stored as a keyed hash. */
  readonly sessionId?: Optional<string>;
  /** The visitor's. Without it the device is unknown. */
  readonly userAgent?: Optional<string>;
  readonly language?: Optional<string>;
  /** The visitor's previous click. */
  readonly existingClickId?: Optional<string>;
  /** When it happened, at most 30 days ago. Default: now. A string is ISO 8601 with an offset. */
  readonly occurredAt?: Optional<Date | string>;
  /** True records it in the test book. */
  readonly testMode?: Optional<boolean>;
  readonly additionalData?: Optional<AdditionalData>;
}
