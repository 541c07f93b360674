import type { CommissionStatus, VoidReason } from "./commission.ts";

/** One fault of a body, a query or a path. */
export interface Fault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What is known of a sale that was recorded before: what the first answer said, as it stands now. */
export interface SaleSummary {
  readonly saleId: number;
  readonly commissionId: number;
  readonly attributed: boolean;
  readonly partnerCode: string | undefined;
  readonly commission: CommissionSummary;
}

export interface CommissionSummary {
  /** Smallest unit of `currency`. */
  readonly amountCents: number;
  readonly currency: string;
  readonly status: CommissionStatus;
  /** Milliseconds; undefined where nothing is due. */
  readonly holdUntil: number | undefined;
  readonly unconfirmed: boolean;
  readonly reason: VoidReason | undefined;
}

/**
 * Every way to say no. A refusal is a value: it records nothing, and `http/failure.ts` maps each code to
 * its status, name, message and envelope.
 */
export type Refusal =
  // the request itself
  | { readonly code: "malformed_json" }
  | { readonly code: "unsupported_media_type" }
  | { readonly code: "payload_too_large" }
  | { readonly code: "invalid_input"; readonly faults: readonly [Fault, ...Fault[]] }
  | { readonly code: "route_not_found" }
  | { readonly code: "method_not_allowed"; readonly allow: readonly string[] }
  | { readonly code: "rate_limited"; readonly retryAfterSeconds: number }
  // who calls
  | { readonly code: "missing_key" }
  | { readonly code: "invalid_key" }
  | { readonly code: "key_retired"; readonly retiredAt: number }
  // what is asked for
  | { readonly code: "link_not_found" }
  | { readonly code: "program_not_found" }
  | { readonly code: "occurred_at_needs_key" }
  | { readonly code: "customer_not_found" }
  | { readonly code: "customer_of_another_program" }
  | { readonly code: "duplicate_transaction"; readonly sale: SaleSummary; readonly differences: readonly string[] }
  | { readonly code: "sale_not_found" }
  | { readonly code: "refund_exceeds_sale"; readonly refundableCents: number }
  | { readonly code: "refund_conflict"; readonly differences: readonly string[] }
  // us
  | { readonly code: "unavailable"; readonly retryAfterSeconds: number }
  | { readonly code: "internal" };

export type RefusalCode = Refusal["code"];
