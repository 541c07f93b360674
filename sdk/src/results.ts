/** Something to look into, though the call was answered. */
export interface Warning {
  readonly code: "api_key_rotation_required" | "sale_conflict" | "argument_left_out";
  /** Never holds the key. */
  readonly message: string;
}

/** Something that was not recorded. */
export interface TrackingProblem {
  readonly source: "lead" | "sale" | "refund" | "click" | "readiness" | "verification" | "stripe";
  /** What happened, and what to do. Never holds the key. */
  readonly message: string;
  /** The call's result, if a call failed. */
  readonly failure?: Failure;
}

/** A call that was answered. `data` is the answer, with its names in camelCase. */
export interface Success<Data> {
  readonly ok: true;
  readonly status: number;
  readonly error: null;
  readonly data: Data;
  /** Names the call in the service's log. */
  readonly requestId: string | null;
  readonly skipped?: undefined;
  readonly duplicate?: undefined;
  readonly conflict?: undefined;
}

/** An amount of 0: there is nothing to record, and nothing was sent. */
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

/** The sale was recorded by an earlier call, or by an attempt of this one whose answer was lost. Nothing counted twice. */
export interface RepeatedSale {
  readonly ok: true;
  readonly status: 409;
  readonly error: null;
  readonly data: SaleRecord & {
    readonly sameRequest: boolean;
    /** Wire names of what differs from the first call: `amount_cents`, `currency`, … */
    readonly differences: readonly string[];
  };
  readonly requestId: string | null;
  readonly skipped?: undefined;
  readonly duplicate: true;
  /** The first call said something else under the same `invoiceId`; the first one stands. */
  readonly conflict?: true;
}

/** A call that did not get through, or was refused. Methods resolve with it; they never reject. */
export interface Failure {
  readonly ok: false;
  /** The HTTP status; 0 where no whole answer came. */
  readonly status: number;
  readonly error: FailureReason;
  readonly data: null;
  /** Names the call in the service's log. Null where no whole answer came, or something else answered. */
  readonly requestId: string | null;
  /** The same call may succeed later, and it is safe to send it again. */
  readonly retryable: boolean;
  readonly skipped?: undefined;
  readonly duplicate?: undefined;
  readonly conflict?: undefined;
}

/** `NetworkError`: no whole answer came. `UnreadableAnswerError`: something else answered. */
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

/** Of `readiness()`. */
type ReadinessFailureName =
  | "missing_key"
  | "invalid_key"
  | "rate_limited"
  | "method_not_allowed"
  | "internal_error"
  | "service_unavailable";

/** Those of today; a later service may have others. */
export type FailureName = SdkFailureName | ServiceFailureName | ReadinessFailureName | (string & {});

export interface FailureReason {
  readonly name: FailureName;
  /** What happened, and what to do. Never holds the key. */
  readonly message: string;
  /**
   * What else the service said, names in camelCase: `errors` lists every fault of the body, `differences` what a used
   * `refundId` stood for, `unknownSubscriptionId` is true where no earlier sale named the subscription.
   */
  readonly details: Readonly<Record<string, unknown>>;
  /** What the service asked for, in seconds. */
  readonly retryAfterSeconds: number | null;
}

export type LeadResult = Success<Lead> | Failure;
export type SaleResult = Success<Sale> | RepeatedSale | Skipped | Failure;
export type RefundResult = Success<Refund> | Skipped | Failure;
export type ClickResult = Success<Click> | Failure;
export type ReadinessResult = Success<Readiness> | Failure;
export type VerificationResult = Success<Verification> | Failure;

/** Of an answer from the test book. */
export interface TestData {
  readonly eventId: number | null;
  readonly programId: number;
  readonly testMode: true;
}

export interface Lead {
  readonly success: true;
  readonly message: string;
  /** Whether a partner is owed this customer. */
  readonly attributed: boolean;
  readonly leadId: number;
  readonly partnerCode?: string;
  /** The customer was known: this is their first lead. */
  readonly duplicate?: true;
  /** The customer was known, and a newer click moved them to its partner. */
  readonly moved?: true;
  /** Sales that had come before the lead, and now have a partner too. */
  readonly attributedSales?: readonly { readonly saleId: number; readonly commissionId: number }[];
  /** Why no partner: `no_click`, `invalid_click_id`, `existing_customer`, `attribution_window_expired`. */
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
  /** ISO 8601: when a pending commission is approved. Null where nothing is due. */
  readonly holdUntil: string | null;
  /** Only a browser reported the customer's click: the commission waits for a call with your key, or an approval. */
  readonly unconfirmed: boolean;
  /** Why nothing is due, of a void commission. */
  readonly reason?: string;
}

export interface SaleRecord {
  readonly saleId: number;
  readonly commissionId: number;
  readonly attributed: boolean;
  readonly partnerCode?: string | null;
  readonly commission: Commission;
}

export interface Sale extends SaleRecord {
  readonly success: true;
  readonly message: string;
  /** Why no partner, or why nothing is due to the partner. */
  readonly reason?: string;
  readonly clickAgeDays?: number;
  readonly windowDays?: number;
}

/** Amounts in the smallest unit: of the sale's currency for `refunded…`, of the commission's for `commission…`. */
export interface Refund {
  readonly success: true;
  readonly message: string;
  readonly saleId: number;
  readonly commissionId: number;
  readonly status: "refunded" | "reversed" | "no_commission" | "skipped" | "restored";
  /**
   * Why it was skipped: `duplicate refund_id`, `already refunded`, `already reversed`, `older`, `canceled`. Why a
   * cancellation restored nothing: `one_time_used`.
   */
  readonly reason?: string;
  readonly refundId: string | null;
  /** By this call. Of a cancellation 0 or less. */
  readonly refundedCents: number;
  /** Of this sale up to now. */
  readonly refundedTotalCents: number;
  /** By this call. Of a cancellation 0 or less. */
  readonly commissionReversedCents: number;
  /** What is left of the commission. */
  readonly commissionAmountCents: number;
  readonly data?: TestData;
}

export interface Click {
  readonly success: true;
  /** Proves this click. Keep it with the visitor, and send it with the sign-up. */
  readonly clickId: string;
  readonly partnerCode?: string;
  readonly cookieWindowDays: number;
  readonly message?: string;
  readonly data?: TestData;
}

export type GateName = "profile" | "economics" | "payout" | "tracking" | "live";

export interface Gate<Action extends string> {
  readonly status: "pass" | "fail" | "unknown";
  /** What to do where it does not pass. */
  readonly nextAction?: Action;
}

export interface TestChain {
  readonly click: "attributed" | "unattributed" | "wrong_partner" | "pending";
  readonly lead: TestChain["click"];
  readonly sale: TestChain["click"];
}

export interface Readiness {
  readonly programId: number;
  readonly state: "draft" | "configuring" | "ready" | "integration_verified" | "live_verified";
  readonly integrationVerified: boolean;
  /** The first gate that does not pass. */
  readonly blocker: GateName | null;
  readonly gates: {
    readonly profile: Gate<"complete_program_profile">;
    readonly economics: Gate<"set_commission_policy">;
    readonly payout: Gate<"set_payout_mode">;
    readonly tracking: Gate<"install_tracker_or_send_events"> & {
      readonly detail: "tracker_installed" | "receiving_events" | null;
      readonly checkedAt: string;
    };
    readonly live: Gate<"run_synthetic_sale_chain"> & { readonly testChain: TestChain };
  };
  /** ISO 8601, of real events. */
  readonly lastEventAt: { readonly click: string | null; readonly lead: string | null; readonly sale: string | null };
  readonly counts24h: { readonly clicks: number; readonly leads: number; readonly sales: number };
  readonly keyRotatedAt: string | null;
  readonly poll: { readonly retryAfterSeconds: number };
}

export interface Verification {
  readonly data: {
    readonly type: "chain";
    readonly shortCode: string;
    readonly customerKey: string;
    readonly verdict: TestChain;
    readonly attributed: boolean;
    readonly steps: readonly {
      readonly name: "click" | "lead" | "sale";
      readonly status: "pass" | "fail" | "skipped";
      readonly httpStatus: number | null;
      readonly durationMs: number;
      readonly message: string;
    }[];
  };
}
