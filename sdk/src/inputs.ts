type Optional<T> = T | null | undefined;

/** Goes with any call, and is stored with it. At most 8 KiB as JSON. */
export type AdditionalData = Readonly<Record<string, unknown>>;

/** Of one call. */
export interface CallOptions {
  /** For each attempt, in milliseconds, in place of the client's. */
  readonly timeoutMs?: number;
  /** Attempts beyond the first, in place of the client's. */
  readonly retries?: number;
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
  /** `{ test_mode: true }` records it in the test book. */
  readonly additionalData?: Optional<AdditionalData>;
}

/** A payment that succeeded. Always a real one: test sales go to the API directly. */
export interface SaleInput {
  /** The customer, as in their lead. */
  readonly customerExternalId: string;
  /** In the currency's smallest unit: 4900 is 49.00 EUR, 500 is 500 JPY, 1234 is 1.234 KWD. 0 is skipped. */
  readonly amount: number;
  /** Your own id of this payment: it counts once, for ever. 1 to 255 characters. */
  readonly invoiceId: string;
  /** ISO 4217. Default: the program's. */
  readonly currency?: Optional<string>;
  /** Finds the partner of a customer who is unknown or has none. */
  readonly clickId?: Optional<string>;
  /** When it happened, at most 400 days ago. Default: now. A string is ISO 8601 with an offset. */
  readonly occurredAt?: Optional<Date | string>;
  /** Default: `payment`. */
  readonly saleType?: Optional<"payment" | "subscription">;
  /** True for a renewal. */
  readonly isRecurring?: Optional<boolean>;
  readonly subscriptionId?: Optional<string>;
  readonly subscriptionInterval?: Optional<"monthly" | "quarterly" | "annual">;
  readonly productId?: Optional<string>;
  readonly eventName?: Optional<string>;
  /** Any JSON, at most 16 KiB. */
  readonly lineItems?: unknown;
  readonly additionalData?: Optional<AdditionalData & { readonly test_mode?: never }>;
}

interface RefundOfSale {
  /** The sale's. */
  readonly invoiceId: string;
  /** Stored with it. */
  readonly reason?: Optional<string>;
  /** Default: now. A string is ISO 8601 with an offset. */
  readonly occurredAt?: Optional<Date | string>;
  /** `{ test_mode: true }` refunds a sale of the test book. */
  readonly additionalData?: Optional<AdditionalData>;
}

/** A refund: of an amount, up to a running total, or of all that is left. */
export type RefundInput =
  | (RefundOfSale & {
      /** This refund, in the smallest unit of the sale's currency. 0 is skipped. */
      readonly amount: number;
      /** Your own id of this refund: it counts once. Without one, each repeat would count again. */
      readonly refundId: string;
      readonly refundedTotal?: null | undefined;
    })
  | (RefundOfSale & {
      /** All that was refunded of this sale up to now, as your processor keeps it. 0 is skipped. */
      readonly refundedTotal: number;
      readonly refundId?: Optional<string>;
      readonly amount?: null | undefined;
    })
  | (RefundOfSale & {
      readonly refundId?: Optional<string>;
      readonly amount?: null | undefined;
      readonly refundedTotal?: null | undefined;
    });

/** A visit by a partner's link. */
export interface ClickInput {
  /** The landing URL; its `aff` parameter is the partner's code. */
  readonly affiliateUrl: string;
  /** Default: the one that the key names. */
  readonly programId?: Optional<number | string>;
  /** Your own id of this click, at most 64 characters: the same one counts once in 24 hours. Default: a random one. */
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
  /** `{ test_mode: true }` records it in the test book. */
  readonly additionalData?: Optional<AdditionalData>;
}
