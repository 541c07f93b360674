import type { Readiness, Verification } from "./readiness.ts";

/** A problem to look into, although the call succeeded. */
export interface Warning {
  readonly code: "api_key_rotation_required" | "sale_conflict" | "argument_left_out";
  /** Never contains the key. */
  readonly message: string;
}

/** An event that was not recorded, or another call that failed. */
export interface TrackingProblem {
  readonly source:
    | "lead"
    | "sale"
    | "refund"
    | "click"
    | "readiness"
    | "verification"
    | "offer"
    | "stripe"
    | "paddle"
    | "lemon-squeezy"
    | "polar"
    | "partners"
    | "coupons"
    | "customers"
    | "sales"
    | "commissions"
    | "balances"
    | "payouts"
    | "events"
    | "embed";
  /** Describes the problem, and what to do. Never contains the key. */
  readonly message: string;
  /** The call's result, if a call failed. */
  readonly failure?: Failure;
}

/** A successful call. `data` is the response, with its names in camelCase. */
export interface Success<Data> {
  readonly ok: true;
  readonly status: number;
  readonly error: null;
  readonly data: Data;
  /** Identifies the call in the service's log. */
  readonly requestId: string | null;
  readonly skipped?: undefined;
  readonly duplicate?: undefined;
  readonly conflict?: undefined;
}

/** A call with an amount of 0. There was nothing to record, and nothing was sent. */
export interface Skipped {
  readonly ok: true;
  readonly status: 0;
  readonly error: null;
  readonly data: null;
  readonly requestId: null;
  readonly skipped: true;
  readonly duplicate?: undefined;
  readonly conflict?: undefined;
}

/** The sale was recorded by an earlier call, or by an attempt of this one whose response was lost. It counted once. */
export interface RepeatedSale {
  readonly ok: true;
  readonly status: 409;
  readonly error: null;
  readonly data: SaleRecord & {
    readonly sameRequest: boolean;
    /** Wire names of the fields that differ from the first call: `amount_cents`, `currency`, … */
    readonly differences: readonly string[];
  };
  readonly requestId: string | null;
  readonly skipped?: undefined;
  readonly duplicate: true;
  /** True if the first call with this `invoiceId` had different data. The first call's data is kept. */
  readonly conflict?: true;
}

/** A call that failed or was refused. Methods resolve with it; they never reject. */
export interface Failure {
  readonly ok: false;
  /** The HTTP status; 0 if no complete response arrived. */
  readonly status: number;
  readonly error: FailureReason;
  readonly data: null;
  /** Identifies the call in the service's log. Null without a complete response. */
  readonly requestId: string | null;
  /** True if the same call may succeed later. It is safe to send it again. */
  readonly retryable: boolean;
  readonly skipped?: undefined;
  readonly duplicate?: undefined;
  readonly conflict?: undefined;
}

/**
 * `NetworkError`: no complete response arrived. `UnreadableAnswerError`: a response arrived that isn't the service's.
 */
type SdkFailureName = "NetworkError" | "UnreadableAnswerError" | "InactiveLinkError";

type ServiceFailureName =
  | "BadRequestError"
  | "UnauthorizedError"
  | "ForbiddenError"
  | "NotFoundError"
  | "MethodNotAllowedError"
  | "ConflictError"
  | "PayloadTooLargeError"
  | "UnsupportedMediaTypeError"
  | "TooManyRequestsError"
  | "InternalServerError"
  | "ServiceUnavailableError"
  | "api_key_rotation_required";

/** Names of failures of `readiness()`. */
type ReadinessFailureName =
  | "missing_key"
  | "invalid_key"
  | "rate_limited"
  | "method_not_allowed"
  | "internal_error"
  | "service_unavailable";

/** The current names; a later version of the service may add others. */
export type FailureName = SdkFailureName | ServiceFailureName | ReadinessFailureName | (string & {});

/** A permission of a program key: report events, read, manage partners and coupons, or settle payouts. */
export type KeyScope = "track" | "read" | "manage" | "settle";

/** The current codes of details; a later version of the service may add others. */
export type FailureCode =
  | "insufficient_scope"
  | "test_key"
  | "differs"
  | "code_taken"
  | "external_id_taken"
  | "too_many_refunds"
  | "moving"
  | "too_old"
  | "feed_restarted"
  | (string & {});

export interface FailureDetails {
  readonly [name: string]: unknown;
  readonly code?: FailureCode;
  /** The scope that the key lacks, if the `code` is `insufficient_scope`. `readiness()` needs `read`. */
  readonly needed?: KeyScope;
  /** Wire names of the fields that differ from the first use of a `refundId`, or from the partner of an `externalId`. */
  readonly differences?: readonly string[];
  /** The oldest event that is kept, if the `code` is `too_old`. */
  readonly oldestSeq?: number;
  /** The newest event, if the `code` is `feed_restarted`. */
  readonly newestSeq?: number;
  /** True if no earlier sale named the subscription. */
  readonly unknownSubscriptionId?: true;
  /** Every invalid field of the body. */
  readonly errors?: readonly { readonly path: readonly (string | number)[]; readonly message: string }[];
}

export interface FailureReason {
  readonly name: FailureName;
  /** Describes the problem, and what to do. Never contains the key. */
  readonly message: string;
  /** Further details from the service, with names in camelCase. */
  readonly details: FailureDetails;
  /** The pause that the service asked for, in seconds. */
  readonly retryAfterSeconds: number | null;
}

export type LeadResult = Success<Lead> | Failure;
export type SaleResult = Success<Sale> | RepeatedSale | Skipped | Failure;
export type RefundResult = Success<Refund> | Skipped | Failure;
export type ClickResult = Success<Click> | Failure;
export type OfferResult = Success<OfferAnswer> | Failure;

export type ReadinessResult = Success<Readiness> | Failure;
export type VerificationResult = Success<Verification> | Failure;

/** Part of a response from the test book. */
export interface TestData {
  readonly eventId: number | null;
  readonly programId: number;
  readonly testMode: true;
}

export interface Lead {
  readonly success: true;
  readonly message: string;
  /** True if the customer belongs to a partner. */
  readonly attributed: boolean;
  readonly leadId: number;
  readonly partnerCode?: string;
  /** True if an earlier call already recorded the customer's lead, so this call recorded none. */
  readonly duplicate?: true;
  /**
   * True if an earlier call already recorded the customer's lead, and a newer click has now moved the customer to its
   * partner.
   */
  readonly moved?: true;
  /** Sales that arrived before the lead, and are now attributed too. */
  readonly attributedSales?: readonly { readonly saleId: number; readonly commissionId: number }[];
  /**
   * The reason why there is no partner: `no_click`, `invalid_click_id`, `existing_customer`,
   * `attribution_window_expired`.
   */
  readonly reason?: string;
  readonly clickAgeDays?: number;
  readonly windowDays?: number;
  readonly data?: TestData;
}

export interface Commission {
  /** In the currency's smallest unit. */
  readonly amountCents: number;
  readonly currency: string;
  readonly status: "pending" | "approved" | "paid" | "reversed" | "rejected" | "void";
  /** ISO 8601: the time at which a pending commission is approved. Null if no commission is due. */
  readonly holdUntil: string | null;
  /**
   * True if only a browser reported the customer's click. The commission then waits until a call with your key reports
   * the customer, or until a member approves it.
   */
  readonly unconfirmed: boolean;
  /** True if the commission stays pending until a member of the program has reviewed it. */
  readonly held: boolean;
  /** The reason why a void commission pays nothing. */
  readonly reason?: string;
}

export interface SaleRecord {
  readonly saleId: number;
  readonly commissionId: number;
  readonly attributed: boolean;
  readonly partnerCode?: string | null;
  /** The evidence for the attribution: a click, a coupon, an import, or a member's assignment. */
  readonly source?: "click" | "coupon" | "import" | "person" | null;
  /** The value that you sent, or the service's decision for `"auto"`. Missing from a service before 0.2.0. */
  readonly isRecurring?: boolean;
  readonly commission: Commission;
}

export interface Sale extends SaleRecord {
  readonly success: true;
  readonly message: string;
  /** The reason why there is no partner, or no commission for the partner. */
  readonly reason?: string;
  readonly clickAgeDays?: number;
  readonly windowDays?: number;
}

/** The discount for a customer who comes through a partner. */
export interface CustomerOffer {
  /** A text to show to the customer, such as "20% off your first year". */
  readonly label: string;
  /** The discount's id at each processor for which the program set one. `offerDiscounts` applies it to a checkout. */
  readonly couponIds: {
    readonly stripe?: string;
    readonly paddle?: string;
    readonly lemonSqueezy?: string;
    readonly polar?: string;
    readonly other?: string;
  };
}

export interface OfferAnswer {
  readonly offer: CustomerOffer | null;
  /** Code of the partner to whom a first sale would be attributed if it were reported now. */
  readonly partnerCode: string | null;
  /**
   * Null if there is an offer. Otherwise `has_bought`, `no_offer`, `offer_over`, or the reason why the sale would be
   * unattributed or earn no commission.
   */
  readonly reason: string | null;
}

/** Amounts are in the smallest unit: `refunded…` in the sale's currency, `commission…` in the commission's. */
export interface Refund {
  readonly success: true;
  readonly message: string;
  readonly saleId: number;
  readonly commissionId: number;
  readonly status: "refunded" | "reversed" | "no_commission" | "skipped" | "restored";
  /**
   * The reason for `skipped`: `duplicate refund_id`, `already refunded`, `already reversed`, `older`, `canceled`. Or
   * the reason why a cancellation restored nothing: `one_time_used`.
   */
  readonly reason?: string;
  readonly refundId: string | null;
  /** The amount that this call refunded. For a cancellation, 0 or negative. */
  readonly refundedCents: number;
  /** The amount refunded for this sale so far. */
  readonly refundedTotalCents: number;
  /** The amount of the commission that this call reversed. For a cancellation, 0 or negative. */
  readonly commissionReversedCents: number;
  /** The commission's remaining amount. */
  readonly commissionAmountCents: number;
  readonly data?: TestData;
}

export interface Click {
  readonly success: true;
  /** Proves this click. Store it with the visitor, and send it with the sign-up. */
  readonly clickId: string;
  readonly partnerCode?: string;
  readonly cookieWindowDays: number;
  readonly message?: string;
  readonly data?: TestData;
}

/** A line of a payout that is settled by API. Amounts are in the smallest unit of `currency`. */
export interface PayoutLine {
  readonly lineId: number;
  readonly partnerId: number;
  /** Your own id for the partner. */
  readonly externalId: string | null;
  readonly currency: string;
  readonly amountCents: number;
  /**
   * `due`: you can settle the line. `waiting`: a person has to confirm the payout first. `given_back`: the line's
   * amount is payable again.
   */
  readonly state: "waiting" | "due" | "settled" | "given_back";
  readonly settlementId: string | null;
  /** ISO 8601. */
  readonly settledAt: string | null;
}
