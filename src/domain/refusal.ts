import type { AttributionSource } from "./attribution.ts";
import type { Cap } from "./caps.ts";
import type { ClaimStatus } from "./claim.ts";
import type { CodeOwner } from "./code-owner.ts";
import type { VoidReason } from "./commission.ts";
import type { CommissionDecision, CommissionStatus, ShownStatus } from "./commission-status.ts";
import type { CommissionId, CouponId, PayoutId, ProgramId, SaleId } from "./ids.ts";
import type { ApplicationStatus } from "./join-page.ts";
import type { OpenBalance } from "./open-balance.ts";
import type { OpenNeed } from "./open-page.ts";
import type { PayFormat } from "./pay-format.ts";
import type { PaymentMethod } from "./payment-details.ts";
import type { LineChange } from "./payout.ts";
import type { PayoutStatus, SkipReason } from "./payout-status.ts";
import type { KeyScope } from "./program-key.ts";
import type { MoveRefusal, PlaceRefusal } from "./program-place.ts";
import type { Resource } from "./resource.ts";
import type { Role } from "./role.ts";

export interface FieldError {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export interface SaleSummary {
  readonly saleId: SaleId;
  readonly commissionId: CommissionId;
  readonly isRecurring: boolean;
  readonly attributed: boolean;
  readonly partnerCode: string | undefined;
  readonly source: AttributionSource | undefined;
  readonly commission: CommissionSummary;
}

export interface CommissionSummary {
  readonly amountCents: number;
  readonly currency: string;
  readonly status: ShownStatus;
  readonly holdUntil: number | undefined;
  readonly unconfirmed: boolean;
  readonly held: boolean;
  readonly reason: VoidReason | undefined;
}

/**
 * A program as restored from the backup. The fields from `payoutId` on describe its last finalized payout, and are null
 * if it had none.
 */
export interface RestoredSummary {
  readonly restoredAt: number;
  readonly backupAt: number | null;
  readonly payoutId: PayoutId | null;
  readonly reference: string | null;
  readonly currency: string | null;
  readonly totalCents: number | null;
  readonly finalizedAt: number | null;
  readonly paidAt: number | null;
}

/** A workspace whose only active owner is the user who sends the call. */
export interface OwnedAlone {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly programs: readonly { readonly programId: ProgramId; readonly programName: string }[];
}

/**
 * A refused call doesn't make the change that it was sent for. The tables in `http/refusal` define the status, message
 * and details of each code.
 */
export type Refusal =
  | { readonly code: "malformed_json" }
  | { readonly code: "unsupported_media_type" }
  | { readonly code: "unsupported_content_encoding" }
  | { readonly code: "payload_too_large"; readonly kibibytes: number }
  | { readonly code: "body_too_late" }
  | { readonly code: "invalid_input"; readonly errors: readonly [FieldError, ...FieldError[]] }
  | { readonly code: "route_not_found" }
  | { readonly code: "method_not_allowed"; readonly allow: readonly string[] }
  | { readonly code: "https_required" }
  | { readonly code: "rate_limited"; readonly retryAfterSeconds: number }
  | { readonly code: "missing_key" }
  | { readonly code: "invalid_key" }
  | { readonly code: "insufficient_scope"; readonly needed: KeyScope }
  | { readonly code: "test_key" }
  | { readonly code: "keys_full" }
  | { readonly code: "links_full"; readonly cap: "codes" | "ownCodes" }
  | { readonly code: "final" }
  | { readonly code: "past_needs_consent" }
  /** `of` is the kind of object whose stored values differ from those in the call. Default: a partner. */
  | {
      readonly code: "differs";
      readonly of?: "payout" | "settlement" | "line";
      readonly differences: readonly string[];
    }
  | { readonly code: "external_id_taken" }
  | { readonly code: "key_retired"; readonly retiredAt: number; readonly isProgramArchived?: boolean }
  | { readonly code: "no_session" }
  | { readonly code: "sign_in_failed" }
  | { readonly code: "sign_in_expired" }
  | { readonly code: "two_factor_failed" }
  | { readonly code: "two_factor_required" }
  | { readonly code: "two_factor_on" }
  | { readonly code: "two_factor_off" }
  | { readonly code: "two_factor_needed" }
  | { readonly code: "reauthenticate" }
  /** The service has no identity provider. */
  | { readonly code: "oidc_off" }
  | { readonly code: "oidc_failed" }
  | { readonly code: "oidc_unavailable"; readonly retryAfterSeconds: number }
  /** The identity provider sends no email address. */
  | { readonly code: "oidc_no_email" }
  /** Members of workspaces must sign in at the identity provider. */
  | { readonly code: "oidc_required" }
  /** The identity provider didn't check again who the user is, or doesn't say when it last checked. */
  | { readonly code: "oidc_not_fresh" }
  /** The user has signed in at the identity provider with another identity than that of their account. */
  | { readonly code: "oidc_other_identity" }
  /** An account has the identity's email address, but isn't linked to the identity. */
  | { readonly code: "not_linked" }
  /** Another account is linked to the identity. */
  | { readonly code: "identity_taken" }
  /** The account is already linked to another identity. */
  | { readonly code: "already_linked" }
  | { readonly code: "last_sign_in" }
  | { readonly code: "no_password" }
  /** The account has a second factor, which the identity provider doesn't replace. */
  | { readonly code: "code_required" }
  | { readonly code: "sign_up_by_invitation" }
  | { readonly code: "no_workspaces" }
  | { readonly code: "foreign_origin" }
  | { readonly code: "cross_site" }
  | { readonly code: "not_a_member" }
  | { readonly code: "role_too_low"; readonly needed: Role }
  /** The call would make past sales earn commission, which only an owner may do. */
  | { readonly code: "owner_only" }
  /**
   * The account is a member of the workspace. Only an owner can make a member a partner of the workspace's programs.
   */
  | { readonly code: "member_of_workspace" }
  | { readonly code: "link_not_found" }
  | { readonly code: "program_not_found" }
  /** Several programs have the click's code. `owners` is empty if there are too many to compare. */
  | { readonly code: "program_id_required"; readonly owners: readonly CodeOwner[] }
  | { readonly code: "occurred_at_needs_key" }
  | { readonly code: "customer_not_found" }
  | { readonly code: "items_sum" }
  /** The id is a placeholder, such as `undefined`. */
  | { readonly code: "placeholder_id"; readonly field: string }
  | { readonly code: "customer_of_another_program" }
  | { readonly code: "duplicate_transaction"; readonly sale: SaleSummary; readonly differences: readonly string[] }
  | { readonly code: "unknown_subscription" }
  | { readonly code: "sale_not_found" }
  | { readonly code: "refund_exceeds_sale"; readonly refundableCents: number }
  | { readonly code: "refund_conflict"; readonly differences: readonly string[] }
  | { readonly code: "too_many_refunds" }
  | { readonly code: "already_corrected"; readonly saleId: SaleId; readonly transactionId: string }
  | { readonly code: "nothing_to_correct" }
  | { readonly code: "below_refunded"; readonly refundedCents: number }
  | { readonly code: "refunds_in_other_currency"; readonly currency: string; readonly refundedCents: number }
  | { readonly code: "too_many_to_repeat" }
  | { readonly code: "id_taken"; readonly id: string }
  | { readonly code: "not_found"; readonly what: Resource }
  /** `receiptId` is that of an earlier erasure of the person or partner. */
  | { readonly code: "person_not_found"; readonly receiptId: string | undefined }
  /** The click was reported for several customers, so it identifies none of them. */
  | { readonly code: "several_customers" }
  /** Too many customers have the email address. */
  | { readonly code: "too_many_customers" }
  | { readonly code: "partner_erased" }
  | { readonly code: "money_open"; readonly balances: readonly OpenBalance[] }
  | { readonly code: "nothing_to_explain"; readonly message: string }
  | { readonly code: "account_exists" }
  | { readonly code: "code_taken" }
  | { readonly code: "group_taken" }
  /** The program has a unit with this code, but with different digits or words. */
  | { readonly code: "unit_taken" }
  | { readonly code: "units_full" }
  | { readonly code: "bonuses_full" }
  /** Only an ended bonus can be dismissed. */
  | { readonly code: "not_ended" }
  /** The bonus was dismissed, so it isn't awarded. */
  | { readonly code: "bonus_dismissed" }
  /** The bonus doesn't apply to this period. */
  | { readonly code: "not_in_period" }
  | { readonly code: "period_running" }
  /** The partner's approved sales don't reach the bonus's threshold. */
  | { readonly code: "not_reached" }
  /** The call names a group that the program doesn't have. */
  | { readonly code: "unknown_group" }
  /** The token of a referral page is missing, invalid, expired or revoked. */
  | { readonly code: "invalid_token" }
  /**
   * A proposal's link is invalid, altered, expired or of another program, or the key that created it was retired or
   * lost a scope.
   */
  | { readonly code: "invalid_proposal" }
  /** The call isn't the one that the link proposes. */
  | { readonly code: "proposal_differs" }
  /** `couponId` is undefined if the code is a coupon id of an offer. */
  | { readonly code: "coupon_taken"; readonly coupon: { readonly couponId?: CouponId; readonly code: string } }
  | { readonly code: "never_valid" }
  | { readonly code: "webhooks_full" }
  | { readonly code: "url_not_allowed" }
  | { readonly code: "too_many_replays" }
  | { readonly code: "webhook_disabled" }
  | { readonly code: "webhook_unproved" }
  /** Events before `oldestSeq` were deleted. */
  | { readonly code: "too_old"; readonly oldestSeq: number }
  | { readonly code: "feed_restarted"; readonly newestSeq: number }
  /** `held` lists the workspaces because of which the account can't be deleted. */
  | { readonly code: "last_owner"; readonly held?: readonly OwnedAlone[] }
  | { readonly code: "terms_full" }
  | { readonly code: "slug_taken" }
  | { readonly code: "declined"; readonly partnerNote: string | null }
  | { readonly code: "join_full" }
  | { readonly code: "open_needs"; readonly missing: readonly OpenNeed[] }
  | { readonly code: "join_page_open"; readonly needs: readonly OpenNeed[] }
  /** `of` is what was decided. Default: an application. */
  | { readonly code: "decided"; readonly of?: "claim"; readonly status: ApplicationStatus | ClaimStatus }
  | { readonly code: "claims_full"; readonly cap: "openClaims" | "openClaimsOfPartner" }
  /** Null if the program has no terms. */
  | { readonly code: "terms_changed"; readonly version: number | null }
  | { readonly code: "wrong_password" }
  | { readonly code: "invalid_account"; readonly method: PaymentMethod }
  | { readonly code: "view_only" }
  | { readonly code: "inactive" }
  | { readonly code: "invitation_invalid" }
  | { readonly code: "reset_invalid" }
  | { readonly code: "verification_invalid" }
  | { readonly code: "email_unverified" }
  | { readonly code: "no_mail" }
  | { readonly code: "cap_reached"; readonly cap: Cap }
  | { readonly code: "too_many_versions" }
  | { readonly code: "too_many_memberships" }
  | { readonly code: "too_many_sales"; readonly limit: number }
  | { readonly code: "breakdown_running"; readonly retryAfterSeconds: number }
  | { readonly code: "simulation_running"; readonly retryAfterSeconds: number }
  | { readonly code: "download_running"; readonly retryAfterSeconds: number }
  | { readonly code: "moving" }
  | { readonly code: "program_archived" }
  | { readonly code: "adjustment_conflict"; readonly differences: readonly string[] }
  | { readonly code: "draft_exists"; readonly payoutId: PayoutId; readonly reference: string }
  | { readonly code: "payout_conflict"; readonly differences: readonly string[] }
  /** `changes` is empty if no line differs from what the payout shows. */
  | { readonly code: "total_differs"; readonly changes: readonly LineChange[] }
  | { readonly code: "all_left_out"; readonly reasons: readonly SkipReason[]; readonly changes: readonly LineChange[] }
  | { readonly code: "count_differs"; readonly count: number }
  /** A filter selected the commission, which has changed since. */
  | { readonly code: "no_longer_matches" }
  | { readonly code: "same_person" }
  /**
   * The database was restored from a backup, and the call doesn't acknowledge this. Refuses the first new payout after
   * the restore, and the first use of a payout that is final in the backup.
   */
  | { readonly code: "restored"; readonly restored: RestoredSummary }
  | { readonly code: "not_open"; readonly status: CommissionStatus }
  | { readonly code: "approved_by_person" }
  | { readonly code: "reserved" }
  | {
      readonly code: "commission_closed";
      readonly status: ShownStatus | "reserved";
      readonly decision: CommissionDecision;
    }
  | { readonly code: "sale_rejected" }
  | { readonly code: "transaction_id_too_long" }
  | { readonly code: "nothing_payable" }
  | { readonly code: "reference_canceled" }
  | { readonly code: "payout_not_final" }
  | { readonly code: "no_payer" }
  | { readonly code: "nothing_for_format"; readonly format: PayFormat }
  | { readonly code: "payout_not_paid" }
  /** The program's own system settles the lines of this payout one by one. */
  | { readonly code: "settled_by_api" }
  /** A member pays all lines of the payout at once. */
  | { readonly code: "settled_by_person" }
  /** Another person has to confirm the payout first. */
  | { readonly code: "not_due" }
  /** Each line of the payout is settled, or given back (its amount is payable again). */
  | { readonly code: "nothing_due" }
  | {
      readonly code: "payout_closed";
      readonly status: "canceled" | "paid";
      readonly action: "finalized" | "confirmed" | "canceled" | "downloaded";
    }
  | { readonly code: "payout_changed"; readonly status: PayoutStatus; readonly expectedStatus: PayoutStatus }
  | { readonly code: "payout_unconfirmed" }
  /** A payout that is settled by API has lines that are neither settled nor given back (payable again). */
  | { readonly code: "payout_unsettled" }
  | { readonly code: "already_member" }
  | { readonly code: "program_paused" }
  /** The program is on another shard, or being migrated. The Worker sends the call to that shard, or retries. */
  | PlaceRefusal
  /** Refuses a step of a shard migration. */
  | { readonly code: "move_refused"; readonly reason: MoveRefusal }
  /** Refuses a call about all programs of a workspace, because a shard can't be reached. */
  | { readonly code: "programs_unavailable"; readonly retryAfterSeconds: number }
  | { readonly code: "unavailable"; readonly retryAfterSeconds: number }
  | { readonly code: "internal" };

export type RefusalCode = Refusal["code"];
