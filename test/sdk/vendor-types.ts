import type {
  SubscriptionInvoice as InvoiceOfLemonSqueezy,
  Order as OrderOfLemonSqueezy,
} from "@lemonsqueezy/lemonsqueezy.js";
import type {
  IAdjustmentNotificationResponse,
  IEventsResponse,
  ITransactionNotificationResponse,
} from "@paddle/paddle-node-sdk";
import type * as polar2026April from "@polar-sh/sdk/2026-04";
import type * as polar2026October from "@polar-sh/sdk/2026-10";
import type * as polar2027January from "@polar-sh/sdk/2027-01";
import type Stripe from "stripe";
import type * as squeezed from "../../sdk/src/lemon-squeezy/objects.ts";
import type * as paddle from "../../sdk/src/paddle/objects.ts";
import type * as polar from "../../sdk/src/polar/objects.ts";
import type * as stripe from "../../sdk/src/stripe/objects.ts";

// Compiles only if the types of the vendors' own packages contain what the handlers read.

/**
 * The paths of the fields of `Ours` that are missing in `Theirs` or have another type there. Ignores null, and objects
 * with arbitrary keys.
 */
type Moved<Ours, Theirs> = {
  [Name in keyof Ours & string]-?: string extends Name
    ? never
    : Name extends keyof Theirs
      ? MovedIn<Name, NonNullable<Ours[Name]>, NonNullable<Theirs[Name]>>
      : Name;
}[keyof Ours & string];

type Plain = string | number | boolean;

type MovedIn<Path extends string, Ours, Theirs> =
  | (Extract<Theirs, Plain> extends Ours ? never : Path)
  | MovedInside<Path, Exclude<Ours, Plain>, Exclude<Theirs, Plain>>;

type MovedInside<Path extends string, Ours, Theirs> = [Theirs] extends [never]
  ? never
  : [Ours] extends [never]
    ? Path
    : [Ours] extends [readonly (infer Our)[]]
      ? [Theirs] extends [readonly (infer Their)[]]
        ? MovedIn<`${Path}[]`, NonNullable<Our>, NonNullable<Their>>
        : Path
      : `${Path}.${Moved<Ours, Theirs>}`;

type Nothing<Paths extends never> = Paths;

export type OfPaddle = [
  Nothing<Moved<paddle.PaddleEvent, IEventsResponse>>,
  Nothing<Moved<paddle.Transaction, ITransactionNotificationResponse>>,
  Nothing<Moved<paddle.Adjustment, IAdjustmentNotificationResponse>>,
];

export type OfPolar = [
  Nothing<Moved<polar.PolarEvent, polar2026April.webhooks.WebhookPayload>>,
  Nothing<Moved<polar.Order, polar2026April.models.Order>>,
  Nothing<Moved<polar.Refund, polar2026April.models.Refund>>,
  Nothing<Moved<polar.PolarEvent, polar2026October.webhooks.WebhookPayload>>,
  Nothing<Moved<polar.Order, polar2026October.models.Order>>,
  Nothing<Moved<polar.Refund, polar2026October.models.Refund>>,
  Nothing<Moved<polar.PolarEvent, polar2027January.webhooks.WebhookPayload>>,
  Nothing<Moved<polar.Order, polar2027January.models.Order>>,
  Nothing<Moved<polar.Refund, polar2027January.models.Refund>>,
];

export type OfLemonSqueezy = [
  Nothing<Moved<squeezed.Order, OrderOfLemonSqueezy["data"]["attributes"]>>,
  Nothing<Moved<squeezed.SubscriptionInvoice, InvoiceOfLemonSqueezy["data"]["attributes"]>>,
];

/** The names that Stripe used until API version `2025-03-31.basil`. */
type OldNames =
  | "discount"
  | "invoice"
  | "lines.data[].price"
  | "lines.data[].tax_amounts"
  | "payment_intent"
  | "subscription"
  | "subscription_details"
  | "tax";

export type OfStripe = [
  Nothing<Moved<stripe.StripeEvent, Stripe.Event>>,
  Nothing<Moved<stripe.Session, Stripe.Checkout.Session>>,
  Nothing<Exclude<Moved<stripe.Invoice, Stripe.Invoice>, OldNames>>,
  Nothing<Exclude<Moved<stripe.PaymentIntent, Stripe.PaymentIntent>, OldNames>>,
  Nothing<Moved<{ capture_method?: string }, Stripe.PaymentIntent.PaymentMethodOptions.Card>>,
  Nothing<Exclude<Moved<stripe.Charge, Stripe.Charge>, OldNames>>,
  Nothing<Moved<stripe.Refund, Stripe.Refund>>,
  Nothing<Moved<stripe.Dispute, Stripe.Dispute>>,
  Nothing<Moved<stripe.CreditNote, Stripe.CreditNote>>,
];
