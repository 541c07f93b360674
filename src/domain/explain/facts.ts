import type { AttributionSource } from "../attribution.ts";
import type { CommissionStatus, entryKinds, ShownStatus } from "../commission-status.ts";
import type { Evidence } from "../evidence.ts";
import type { CustomerId, PartnerId, SaleId } from "../ids.ts";
import type { OfferTerms } from "../offers.ts";
import type { Group } from "../policy-in-force.ts";
import type { ActiveStatus } from "../program-status.ts";
import type { AttributionModel, WindowUntil } from "../program-terms.ts";
import type { Review } from "../review-reason.ts";
import type { Units } from "../units.ts";

// Rows that an explanation is computed from. Instants are in milliseconds, amounts in the currency's smallest unit.

export const decidedStatuses = ["approved", "rejected"] as const satisfies readonly CommissionStatus[];
export type DecidedStatus = (typeof decidedStatuses)[number];

export const subjectTypes = ["click", "lead", "sale", "commission", "refund", "customer"] as const;
export type SubjectType = (typeof subjectTypes)[number];

export interface Subject {
  readonly type: SubjectType;
  /** A text for a click, a customer or a refund. A number for other types. */
  readonly id: number | string;
}

export interface CustomerFacts {
  readonly id: CustomerId;
  readonly isErased: boolean;
  readonly customerKey: string | null;
  readonly createdAt: number;
  readonly partnerCode: string | null;
  readonly source: AttributionSource | null;
  readonly since: number | null;
  readonly clickId: string | null;
  readonly clickAt: number | null;
  readonly evidence: Evidence | null;
  readonly model: AttributionModel | null;
  readonly windowDays: number | null;
  readonly windowUntil: WindowUntil | null;
  readonly clickAgeDays: number | null;
  readonly reason: string | null;
  readonly confirmedAt: number | null;
  readonly firstAttributedSaleAt: number | null;
}

export interface ClickFacts {
  readonly clickId: string;
  readonly at: number;
  readonly partnerCode: string | null;
}

export interface LeadFacts {
  readonly id: number;
  readonly partnerId: PartnerId | null;
  readonly partnerCode: string | null;
  /** The current status. */
  readonly partnerStatus: ActiveStatus | null;
  readonly clickId: string | null;
  readonly reason: string | null;
  readonly isProvisional: boolean;
  readonly evidence: Evidence;
  readonly clickAgeDays: number | null;
  readonly windowDays: number | null;
  /** JSON. */
  readonly explanation: string;
}

export interface StorySale {
  readonly id: number;
  readonly transactionId: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly refundedCents: number;
  readonly occurredAt: number;
  readonly partnerCode: string | null;
  /** The current status. */
  readonly partnerStatus: ActiveStatus | null;
  readonly reason: string | null;
  readonly clickAgeDays: number | null;
  readonly windowDays: number | null;
  readonly corrects: SaleName | null;
  readonly correctedBy: SaleName | null;
  /** The earlier sale that makes this sale a renewal. */
  readonly renews: SaleName | null;
  readonly commission: StoryCommission;
}

export interface SaleName {
  readonly saleId: SaleId;
  readonly transactionId: string;
}

export interface StoryCommission {
  readonly id: number;
  readonly partnerId: PartnerId | null;
  readonly source: AttributionSource | null;
  readonly sub: string | null;
  readonly status: ShownStatus;
  readonly reason: string | null;
  readonly isUnconfirmed: boolean;
  readonly held: boolean;
  /** The reasons why the commission is held or flagged. */
  readonly reviews: readonly Review[] | null;
  readonly initialCents: number;
  readonly amountCents: number;
  readonly currency: string;
  readonly holdUntil: number | null;
  readonly explanation: string;
  readonly entryCount: number;
}

export interface EntryFacts {
  readonly id: number;
  readonly kind: (typeof entryKinds)[number];
  readonly amountCents: number;
  readonly currency: string;
  readonly partnerId: PartnerId;
  /** The refund's id as sent by the caller. */
  readonly refundId: string | null;
  readonly refundReason: string | null;
  readonly occurredAt: number;
  readonly createdAt: number;
  /** The payout that has reserved or paid the entry. */
  readonly payoutReference: string | null;
  readonly isPaidOut: boolean;
  /**
   * The member who confirmed the payout, or who finalized it if it isn't confirmed. Null if the account was deleted.
   */
  readonly payoutBy: string | null;
  readonly payoutById: string | null;
  /** The actor of the audit entry of the same call: a correction, or the assignment or import of the customer. */
  readonly authorId: string | null;
  /** Null if the account was deleted. */
  readonly author: string | null;
}

/** A member's decision on the commission. */
export interface DecisionFacts {
  readonly status: DecidedStatus;
  readonly at: number;
  /** Null if the account was deleted. */
  readonly name: string | null;
  readonly actorId: string;
  readonly reason: string | null;
}

/** The sums of all calls with the same `refundId`. */
export interface RefundFacts {
  readonly refundedCents: number;
  readonly commissionReversedCents: number;
  /** The currency or unit of `commissionReversedCents`. Null if the calls reversed no commission. */
  readonly commissionCurrency: string | null;
  readonly isCanceled: boolean;
}

/** Sums of the sales in one currency whose commissions are in one currency or unit. */
export interface PairSum {
  readonly currency: string;
  readonly commissionCurrency: string;
  readonly sales: number;
  readonly attributedSales: number;
  readonly amountCents: number;
  readonly refundedCents: number;
  readonly commissionCents: number;
}

export interface SalesSum extends Omit<PairSum, "commissionCurrency"> {
  /** False if no commission is in this currency. */
  readonly hasCommissions: boolean;
}

export interface SettingsNowFacts {
  readonly model: AttributionModel;
  readonly windowDays: number;
  readonly windowUntil: WindowUntil;
  readonly policyVersion: number | null;
  readonly policyGroup: Group | null;
  readonly partnerStatus: ActiveStatus | null;
}

export interface ExplainFacts {
  readonly subject: Subject;
  /** Undefined if the events have no customer, or several. */
  readonly customer: CustomerFacts | undefined;
  readonly click: ClickFacts | undefined;
  readonly lead: LeadFacts | undefined;
  /** Undefined if the events have no sale, or several. */
  readonly sale: StorySale | undefined;
  /** At most 100 entries. `entryCount` counts all of them. */
  readonly entries: readonly EntryFacts[];
  /** Set if a refund is explained. */
  readonly refund: RefundFacts | undefined;
  readonly decision: DecisionFacts | undefined;
  /**
   * The offer that the sale's partner had when the sale happened. Undefined if there was none, or if the sale has no
   * coupon.
   */
  readonly offer: OfferTerms | undefined;
  readonly sums: readonly SalesSum[];
  readonly earlierClicks: number;
  /** The units of the amounts. */
  readonly units: Units;
  readonly now: SettingsNowFacts;
  /** The program's time zone. Dates in sentences are days in it. */
  readonly timezone: string;
}
