import type { Policy } from "#domain/commission.ts";
import type { Payer } from "#domain/payer.ts";
import type { PaymentDetails } from "#domain/payment-details.ts";
import type { Visit } from "#operations/track/record-click.ts";
import type { JoinHappening } from "./joining.ts";

export type Terms = Omit<Policy, "id" | "version" | "partnerId" | "effectiveFrom">;

export interface Subscription {
  readonly id: string;
  readonly isRenewal: boolean;
}

interface Click {
  readonly kind: "click";
  readonly name: string;
  readonly partner: string;
  readonly visit: Omit<Visit, "visitorDigest" | "source" | "isPrefetch" | "pageTitle" | "region" | "city">;
  readonly visitor: string;
}

interface Lead {
  readonly kind: "lead";
  readonly customer: string;
  readonly by: "key" | "browser";
  /** The names of the visitor's clicks, newest last. */
  readonly clicks: readonly string[];
}

export interface Sale {
  readonly kind: "sale";
  readonly customer: string;
  readonly transaction: string;
  readonly cents: number;
  readonly currency: string;
  readonly product: string;
  readonly subscription?: Subscription | undefined;
  readonly hasInvalidClick?: boolean;
  readonly coupons?: readonly string[];
}

interface Refund {
  readonly kind: "refund";
  readonly transaction: string;
  readonly refundId: string;
  /** The refunded amount. The default is the remaining amount of the sale. */
  readonly cents?: number | null;
  readonly reason: string;
}

interface RefundCanceled {
  readonly kind: "refund-canceled";
  readonly transaction: string;
  readonly refundId: string;
}

interface Decision {
  readonly kind: "decision";
  readonly transaction: string;
  readonly decision: "approved" | "rejected";
  readonly reason?: string;
}

interface Held {
  readonly kind: "held";
  readonly transaction: string;
  readonly reason: string;
}

interface CouponCreated {
  readonly kind: "coupon-created";
  readonly partner: string;
  readonly codes: readonly string[];
}

interface ProgramCreated {
  readonly kind: "program-created";
}

interface WindowSet {
  readonly kind: "window-set";
  readonly days: number;
}

interface PartnerCreated {
  readonly kind: "partner-created";
  readonly name: string;
  readonly code: string;
}

interface PartnerPaused {
  readonly kind: "partner-paused";
  readonly code: string;
}

/** The partner's account accepts an invitation. */
interface PartnerJoined {
  readonly kind: "partner-joined";
  readonly code: string;
}

/** Sets payment details, as the partner's account or, if there is none, as a member. */
interface DetailsSet {
  readonly kind: "details-set";
  readonly code: string;
  readonly details: PaymentDetails;
}

interface PayerSet {
  readonly kind: "payer-set";
  readonly payer: Payer;
}

/** Pays everything that is payable at this time. */
interface PaidOut {
  readonly kind: "paid-out";
  readonly reference: string;
  /** The codes of partners whose payment was returned. */
  readonly failed: readonly { readonly code: string; readonly reason: string; readonly partnerNote: string }[];
}

interface PolicySet {
  readonly kind: "policy-set";
  /** The partner's code. By default, the program's own policy is set. */
  readonly partner?: string;
  readonly terms: Terms;
}

export type Happening =
  | Click
  | Lead
  | Sale
  | Refund
  | RefundCanceled
  | Decision
  | Held
  | CouponCreated
  | ProgramCreated
  | WindowSet
  | PartnerCreated
  | PartnerPaused
  | PartnerJoined
  | DetailsSet
  | PayerSet
  | PaidOut
  | PolicySet
  | JoinHappening;

export type SampleEvent = Happening & {
  /** The time of the event, in milliseconds. */
  readonly at: number;
};

export type EventOf<Kind extends SampleEvent["kind"]> = Extract<SampleEvent, { readonly kind: Kind }>;
