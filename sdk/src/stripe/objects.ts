import { isObject } from "../fields.ts";

/**
 * The fields that we read from Stripe's objects, in the shapes of 2024 and later. Below, "basil" is API version
 * `2025-03-31.basil`.
 */

/** The fields that are read from a `Stripe.Event` of any API version. Verify its signature before you trust it. */
export interface StripeEvent {
  readonly id?: string;
  readonly type: string;
  /** The time of the event, in seconds. */
  readonly created?: number;
  readonly livemode?: boolean;
  readonly data: { readonly object: object };
}

export const isEvent = (event: unknown): event is StripeEvent => isObject(event) && typeof event.type === "string";

export function requireEvent(event: unknown, caller: string): void {
  if (!isEvent(event)) throw new TypeError(`${caller}: pass the event that ${verifier[1]} returned`);
}

/** The names of Stripe and its verifier, for messages. */
export const verifier = ["Stripe", "stripe.webhooks.constructEventAsync"] as const;

/** The fields that are read from a `Stripe.Charge`. */
export interface StripeCharge {
  readonly id: string;
  readonly payment_intent?: Reference;
}

export type Reference = string | { readonly id: string } | null | undefined;
export type Metadata = Readonly<Record<string, string>> | null | undefined;

export interface ShippingCost {
  readonly amount_total: number;
  readonly amount_tax: number;
}

/** A promotion code, which customers enter. Its object is there if it was retrieved together with the discount. */
export type PromotionCode = string | { readonly id: string; readonly code: string } | null | undefined;

interface PromotedDiscount {
  readonly promotion_code?: PromotionCode;
}

export interface Discount extends PromotedDiscount {
  /**
   * Set in API versions since `2025-09-30.clover`. Earlier versions have `coupon` instead, like a session's discount.
   */
  readonly source?: { readonly coupon?: Reference } | null;
}

export interface SessionDiscount extends PromotedDiscount {
  readonly coupon?: Reference;
}
export type ExpandableDiscount = string | Discount | null;

export interface DiscountAmount {
  readonly amount: number;
  readonly discount: ExpandableDiscount;
}

/** The first lines of a list, and whether there are more. */
export interface Lines<Line> {
  readonly data: readonly Line[];
  readonly has_more?: boolean;
}

export interface SessionLine {
  /** The amount after discounts, with all taxes. */
  readonly amount_total: number;
  readonly amount_tax: number;
  readonly quantity?: number | null;
  readonly price?: { readonly product?: Reference } | null;
}

export interface InvoiceLine {
  /** The amount before discounts, with the taxes that its price includes. */
  readonly amount?: number;
  readonly quantity?: number | null;
  readonly metadata?: Metadata;
  readonly period?: { readonly start: number } | null;
  readonly discounts?: readonly ExpandableDiscount[] | null;
  /** The discounts of the line, with its share of the invoice's discounts. */
  readonly discount_amounts?: readonly DiscountAmount[] | null;
  /** Amounts of type `discount` are also in `discount_amounts`. */
  readonly pretax_credit_amounts?: readonly { readonly amount: number; readonly type?: string }[] | null;
  /** API versions since basil. */
  readonly taxes?: readonly { readonly amount: number; readonly tax_behavior?: string }[] | null;
  readonly pricing?: { readonly price_details?: { readonly product?: Reference } | null } | null;
  /** API versions before basil. */
  readonly tax_amounts?: readonly { readonly amount: number; readonly inclusive?: boolean }[] | null;
  readonly price?: { readonly product?: Reference } | null;
}

export interface Session {
  readonly id: string;
  readonly mode?: string;
  readonly payment_status: string;
  readonly amount_total: number | null;
  readonly currency: string | null;
  readonly metadata?: Metadata;
  readonly client_reference_id?: string | null;
  readonly invoice?: Reference;
  readonly invoice_creation?: { readonly enabled: boolean } | null;
  readonly payment_intent?: Reference;
  readonly subscription?: Reference;
  readonly shipping_cost?: ShippingCost | null;
  readonly total_details?: { readonly amount_tax: number; readonly amount_shipping: number | null } | null;
  /** Events don't contain lines and discounts. A session contains them if it was retrieved with them. */
  readonly line_items?: Lines<SessionLine> | null | undefined;
  readonly discounts?: readonly SessionDiscount[] | null | undefined;
  /**
   * Set in API versions before basil for a price shown in the customer's currency. The amounts above are in that
   * currency.
   */
  readonly currency_conversion?: { readonly amount_total: number; readonly source_currency: string } | null;
}

export interface SubscriptionDetails {
  readonly metadata?: Metadata;
  readonly subscription?: Reference;
}

export interface Invoice {
  readonly id: string;
  readonly status: string | null;
  readonly billing_reason: string | null;
  readonly amount_paid: number;
  readonly currency: string;
  readonly total?: number;
  readonly total_excluding_tax?: number | null;
  /** API versions since basil. */
  readonly total_taxes?: readonly { readonly amount: number }[] | null;
  readonly shipping_cost?: ShippingCost | null;
  readonly metadata?: Metadata;
  readonly customer?: Reference;
  readonly status_transitions?: { readonly paid_at?: number | null } | null;
  readonly parent?: { readonly subscription_details?: SubscriptionDetails | null } | null;
  readonly lines?: Lines<InvoiceLine>;
  readonly discounts?: readonly ExpandableDiscount[] | null;
  /** Discounts of the invoice and its lines. */
  readonly total_discount_amounts?: readonly DiscountAmount[] | null | undefined;
  /** API versions before basil. */
  readonly tax?: number | null;
  readonly payment_intent?: Reference;
  readonly subscription?: Reference;
  readonly subscription_details?: SubscriptionDetails | null;
  readonly discount?: Discount | null;
}

export interface PaymentIntent {
  readonly id: string;
  readonly amount?: number;
  readonly amount_received: number;
  readonly currency: string;
  readonly capture_method?: string;
  readonly payment_method_options?: Readonly<Record<string, { readonly capture_method?: string } | null>> | null;
  readonly metadata?: Metadata;
  readonly customer?: Reference;
  readonly amount_details?: {
    readonly shipping?: { readonly amount?: number | null } | null;
    readonly tax?: { readonly total_tax_amount?: number | null } | null;
  } | null;
  /**
   * In API versions before basil: null if the payment has no invoice. Later versions don't have the field, so undefined
   * means unknown.
   */
  readonly invoice?: Reference;
}

export interface Charge extends StripeCharge {
  readonly amount: number;
  /** False for an authorization, which Stripe "refunds" when it ends. */
  readonly captured?: boolean;
  readonly amount_captured?: number;
  readonly amount_refunded: number;
  readonly currency: string;
  /** Null and undefined mean the same as on a payment intent. */
  readonly invoice?: Reference;
}

export interface Refund {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly created: number;
  readonly status: string | null;
  readonly payment_intent?: Reference;
  readonly charge?: Reference;
  /** Missing as long as no money has moved. */
  readonly balance_transaction?: Reference;
}

export interface Dispute {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly payment_intent?: Reference;
  readonly charge?: Reference;
}

export interface CreditNote {
  readonly id: string;
  readonly invoice: Reference;
  readonly currency: string;
  readonly created: number;
  /** The amount that was returned outside Stripe: neither a refund nor a credit to the customer's balance. */
  readonly out_of_band_amount?: number | null;
}

export const idOf = (reference: Reference): string | undefined =>
  (typeof reference === "string" ? reference : reference?.id) || undefined;
