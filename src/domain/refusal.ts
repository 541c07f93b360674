import type { Cap } from "./caps.ts";
import type { CodeOwner } from "./code-owner.ts";
import type { VoidReason } from "./commission.ts";
import type { CommissionStatus } from "./commission-status.ts";
import type { Role } from "./role.ts";

/** One fault of a body, a query or a path. */
export interface FieldError {
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

/** What somebody who is signed in asks for by its id. */
export type Resource = "program" | "workspace" | "partner" | "commission" | "member" | "invitation";

/**
 * Every way to say no. A refusal is a value: it records nothing, and `http/refusal/table.ts` maps each code to
 * its status, name, message and envelope.
 */
export type Refusal =
  // the request itself
  | { readonly code: "malformed_json" }
  | { readonly code: "unsupported_media_type" }
  | { readonly code: "payload_too_large" }
  | { readonly code: "invalid_input"; readonly faults: readonly [FieldError, ...FieldError[]] }
  | { readonly code: "route_not_found" }
  | { readonly code: "method_not_allowed"; readonly allow: readonly string[] }
  | { readonly code: "https_required" }
  | { readonly code: "rate_limited"; readonly retryAfterSeconds: number }
  // who calls
  | { readonly code: "missing_key" }
  | { readonly code: "invalid_key" }
  | { readonly code: "key_retired"; readonly retiredAt: number; readonly isProgramArchived?: boolean }
  | { readonly code: "no_session" }
  | { readonly code: "sign_in_failed" }
  | { readonly code: "sign_up_by_invitation" }
  | { readonly code: "foreign_origin" }
  | { readonly code: "not_a_member" }
  | { readonly code: "role_too_low"; readonly needed: Role }
  // what is asked for
  | { readonly code: "link_not_found" }
  | { readonly code: "program_not_found" }
  /** Several programs have the code of a click. `owners` is empty where they are too many to compare. */
  | { readonly code: "program_id_required"; readonly owners: readonly CodeOwner[] }
  | { readonly code: "occurred_at_needs_key" }
  | { readonly code: "customer_not_found" }
  | { readonly code: "customer_of_another_program" }
  | { readonly code: "duplicate_transaction"; readonly sale: SaleSummary; readonly differences: readonly string[] }
  /** No sale of this program and book has carried the subscription that was to name the customer. */
  | { readonly code: "unknown_subscription" }
  | { readonly code: "sale_not_found" }
  | { readonly code: "refund_exceeds_sale"; readonly refundableCents: number }
  | { readonly code: "refund_conflict"; readonly differences: readonly string[] }
  | { readonly code: "not_found"; readonly what: Resource }
  | { readonly code: "account_exists" }
  | { readonly code: "code_taken" }
  | { readonly code: "last_owner" }
  | { readonly code: "invitation_invalid" }
  | { readonly code: "reset_invalid" }
  /** There are as many as there can be. */
  | { readonly code: "cap_reached"; readonly cap: Cap }
  /** The customer's sales are on their way to another partner. */
  | { readonly code: "moving" }
  | { readonly code: "program_archived" }
  /** What is asked for is not in a state for it; the message says in which. */
  | { readonly code: "state_conflict"; readonly message: string }
  // us
  | { readonly code: "unavailable"; readonly retryAfterSeconds: number }
  | { readonly code: "internal" };

export type RefusalCode = Refusal["code"];
