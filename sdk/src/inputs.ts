import type { TrackingProblem } from "./results.ts";
import type { Signal } from "./transport.ts";

export type Optional<T> = T | null | undefined;

/** Data that you can send with any call. It isn't stored, except `event_name`. At most 8 KiB as JSON. */
export type AdditionalData = Readonly<Record<string, unknown>>;

/** Options for a single call. */
export interface CallOptions {
  /** Called if the call fails, instead of the client's `onError`. */
  readonly onError?: (problem: TrackingProblem) => void;
  /** Time limit for each attempt, in milliseconds. Overrides the client's. */
  readonly timeoutMs?: number;
  /** Attempts beyond the first. Overrides the client's. */
  readonly retries?: number;
  /** Aborting it ends the call: the result is a `NetworkError`, and the call may have been recorded. */
  readonly signal?: Signal | undefined;
}

/** A sign-up. */
export interface LeadInput {
  /** Your own stable id for the customer, exactly the same as in sales. 1 to 255 characters. */
  readonly customerExternalId: string;
  /**
   * The click id from the browser. Without it, the customer has no partner. A value that can't be a click id is left
   * out.
   */
  readonly clickId?: Optional<string>;
  /** Earlier clicks of the visitor, newest last. The last 20 count. */
  readonly clickIds?: Optional<readonly string[]>;
  /** The email address, which is stored as a keyed hash and a mask. */
  readonly email?: Optional<string>;
  readonly sessionId?: Optional<string>;
  readonly pageUrl?: Optional<string>;
  /** Your program's id, which must match the key. */
  readonly programId?: Optional<number | string>;
  /** When the sign-up happened, at most 400 days ago. Default: now. A string is ISO 8601 with an offset. */
  readonly occurredAt?: Optional<Date | string>;
  /** True records the lead in the test book. */
  readonly testMode?: Optional<boolean>;
  readonly additionalData?: Optional<AdditionalData>;
}

/** A customer who may be about to buy for the first time. */
export interface OfferInput {
  /** Your own stable id for the customer, exactly the same as in leads and sales. */
  readonly customerExternalId: string;
  /** The click id from the browser, if you would also send it with the sale. */
  readonly clickId?: Optional<string>;
  /** True uses the test book. */
  readonly testMode?: Optional<boolean>;
}

/** One line of a sale. */
export interface SaleItem {
  /** The product's id in rules of the commission policy. 1 to 255 characters. */
  readonly productId: string;
  /** The amount for all units together, in the currency's smallest unit. May be 0. */
  readonly amount: number;
  /** 1 to 10,000. Default: 1. */
  readonly quantity?: Optional<number>;
  /** The item's id, unique in the sale. Default: its position, from 1. */
  readonly itemId?: Optional<string>;
}

interface Payment {
  /** The amount in the currency's smallest unit: 4900 is 49.00 EUR, 500 is 500 JPY, 1234 is 1.234 KWD. 0 is skipped. */
  readonly amount: number;
  /** Your own id of this payment. Calls with the same id count once, permanently. 1 to 255 characters. */
  readonly invoiceId: string;
  /** ISO 4217. Default: the program's. */
  readonly currency?: Optional<string>;
  /** The click that identifies the partner of a customer who is unknown or has no partner. */
  readonly clickId?: Optional<string>;
  /**
   * Earlier clicks of the visitor, newest last. The last 20 count. A program with the model `first_click` needs them:
   * if you only know the newest click, report the clicks with the lead instead.
   */
  readonly clickIds?: Optional<readonly string[]>;
  /** When the payment happened, at most 400 days ago. Default: now. A string is ISO 8601 with an offset. */
  readonly occurredAt?: Optional<Date | string>;
  /** Default: `payment`. */
  readonly saleType?: Optional<"payment" | "subscription">;
  /**
   * True for a renewal. `"auto"`: the service decides. For the service, the first sale of `subscriptionId` that it
   * knows isn't a renewal, such as the first payment after a trial. Needs a service from 0.2.0.
   */
  readonly isRecurring?: Optional<boolean | "auto">;
  readonly subscriptionInterval?: Optional<"monthly" | "quarterly" | "annual">;
  /** Truncated at 255 characters. */
  readonly productId?: Optional<string>;
  /** Truncated at 255 characters. */
  readonly eventName?: Optional<string>;
  /** Any JSON, at most 16 KiB. */
  readonly lineItems?: unknown;
  /** Products sold, up to 100 items, for policies with rules by product. Their amounts must add up to `amount`. */
  readonly items?: Optional<readonly SaleItem[]>;
  /**
   * Coupon codes used in the payment: up to 10, each of up to 64 characters. Texts that can't be a code are left out.
   * The first valid code attributes a new customer who came without a click.
   */
  readonly couponCodes?: Optional<readonly string[]>;
  readonly additionalData?: Optional<AdditionalData & { readonly test_mode?: never }>;
}

/** A successful payment, identified by a customer, a click or a subscription. */
export type SaleInput =
  | (Payment & {
      /** The customer's id, as in their lead. */
      readonly customerExternalId: string;
      /** The subscription's id. Later sales of the subscription can name it instead of the customer. */
      readonly subscriptionId?: Optional<string>;
    })
  | (Payment & {
      /**
       * A subscription that an earlier sale or an import named. With neither `customerExternalId` nor `clickId`, the sale
       * belongs to the customer of the latest of those sales, or else to the customer of the import.
       */
      readonly subscriptionId: string;
      readonly customerExternalId?: Optional<string>;
    })
  | (Payment & {
      /** A guest's click: only the click identifies the customer. */
      readonly clickId: string;
      readonly subscriptionId?: Optional<string>;
      readonly customerExternalId?: Optional<string>;
    });

interface RefundOfSale {
  /** The `invoiceId` of the sale. */
  readonly invoiceId: string;
  /**
   * The amount that the customer paid for the whole sale, all charges together, in the unit in which your processor
   * reports refunds. Set it if this differs from the sale's `amount`, for example because you report sales net of tax.
   * The refund is scaled to the sale. All refunds of a sale with a `chargeTotal` must have the same.
   */
  readonly chargeTotal?: Optional<number>;
  /** Truncated at 255 characters. */
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

/** A refund of an amount, up to a running total, or of everything left; or the cancellation of an earlier refund. */
export type RefundInput =
  | (RefundOfSale &
      NotCanceled & {
        /** This refund's amount, in the smallest unit of the sale's currency or of `chargeTotal`. 0 is skipped. */
        readonly amount: number;
        /** Your own id of this refund, so that it counts only once. Without an id, each repeat would count again. */
        readonly refundId: string;
        readonly refundedTotal?: null | undefined;
      })
  | (RefundOfSale &
      NotCanceled & {
        /** The running total of this `refundId`, or of the whole sale without a `refundId`. 0 is skipped. */
        readonly refundedTotal: number;
        /** The id of the object that the total belongs to, for example a charge. Totals of different ids add up. */
        readonly refundId?: Optional<string>;
        readonly amount?: null | undefined;
      })
  | (RefundOfSale &
      NotCanceled & {
        /** Your own id of this refund. A refund without an id can't be canceled. */
        readonly refundId?: Optional<string>;
        readonly amount?: null | undefined;
        readonly refundedTotal?: null | undefined;
      })
  | (RefundOfSale & {
      /** The refund with this `refundId` didn't happen: it failed, or you won the dispute. */
      readonly cancel: true;
      readonly refundId: string;
      /**
       * The remaining total of this refund, or 0; a higher total may follow. Without `refundedTotal`, the refund's id
       * is closed: later calls with it are skipped.
       */
      readonly refundedTotal?: Optional<number>;
      readonly amount?: null | undefined;
    });

/** A visit through a partner's link. */
export interface ClickInput {
  /** The landing URL; its `aff` parameter is the partner's code, or else the one that `codeParam` names. */
  readonly affiliateUrl: string;
  /** The query parameter that contains the code in links of your earlier affiliate program: `via`. */
  readonly codeParam?: Optional<string>;
  /** Default: the key's program. */
  readonly programId?: Optional<number | string>;
  /**
   * Your own id of this click, at most 64 characters. Within 24 hours, calls with the same id and link count once.
   * Default: a random id.
   */
  readonly eventId?: Optional<string>;
  readonly pageUrl?: Optional<string>;
  readonly referrerUrl?: Optional<string>;
  /** A text that distinguishes visitors. It is stored as a keyed hash. */
  readonly sessionId?: Optional<string>;
  /** The visitor's user agent. Without it the device is unknown. */
  readonly userAgent?: Optional<string>;
  readonly language?: Optional<string>;
  /**
   * True stores only what credits the partner: no page, referrer, sub-id, device or visitor. For visitors who object to more,
   * such as those with the header `Sec-GPC: 1`.
   */
  readonly limited?: Optional<boolean>;
  /** The visitor's previous click id. */
  readonly existingClickId?: Optional<string>;
  /**
   * When the visit happened, at most 30 days ago (400 in test mode). Default: now. A string is ISO 8601 with an offset.
   */
  readonly occurredAt?: Optional<Date | string>;
  /** True records the click in the test book. */
  readonly testMode?: Optional<boolean>;
  readonly additionalData?: Optional<AdditionalData>;
}
