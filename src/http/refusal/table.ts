import { dateUtc } from "#domain/calendar.ts";
import { caps } from "#domain/caps.ts";
import type { SkipReason } from "#domain/payout-status.ts";
import type { FieldError, Refusal, RefusalCode, RestoredSummary } from "#domain/refusal.ts";
import { saleReply } from "../commission-reply.ts";
import { timestamp, timestampOrNull } from "../schema/timestamp.ts";

export type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 429 | 500 | 503;

export interface RefusalStyle {
  readonly envelope: "platform" | "typed";
  readonly messages: Partial<Record<RefusalCode, string>>;
}

interface Entry {
  readonly status: RefusalStatus;
  readonly message: string;
  readonly typedCode?: string;
}

const unavailable = "Service unavailable. Send the identical request again shortly.";

const refusalTable = {
  malformed_json: { status: 400, message: "Malformed JSON in request body" },
  unsupported_media_type: { status: 415, message: "Unsupported media type. Send application/json in UTF-8." },
  payload_too_large: { status: 413, message: "Request body is too large" },
  body_too_late: { status: 408, message: "The request body did not arrive in time" },
  invalid_input: { status: 400, message: "Invalid input" },
  route_not_found: { status: 404, message: "Not found" },
  method_not_allowed: { status: 405, message: "Method not allowed" },
  https_required: { status: 403, message: "Use https." },
  rate_limited: { status: 429, message: "Too many requests." },
  missing_key: { status: 401, message: "Missing API key. Send it as Authorization: Bearer <key>." },
  invalid_key: { status: 401, message: "Invalid API token" },
  key_retired: { status: 401, message: "This API key was retired.", typedCode: "api_key_rotation_required" },
  insufficient_scope: { status: 403, message: "This API key doesn't have the scope that the call needs." },
  test_key: { status: 403, message: "This API key works only in test mode." },
  differs: { status: 409, message: "A partner with this external id exists, with other values" },
  external_id_taken: { status: 409, message: "Another partner in this program already has this external id" },
  final: {
    status: 409,
    message: "This customer's partner is final. Adjust the partners' balances instead.",
  },
  past_needs_consent: {
    status: 400,
    message: "since is in the past: send payPast: true to have the sales from then on earn",
  },
  links_full: { status: 409, message: caps.codes.message },
  keys_full: { status: 409, message: caps.keys.message },
  no_session: { status: 401, message: "Sign in first." },
  sign_in_failed: { status: 401, message: "Invalid email or password" },
  sign_in_expired: { status: 401, message: "Your sign-in took too long. Sign in again." },
  two_factor_failed: { status: 401, message: "Invalid code" },
  two_factor_required: {
    status: 403,
    message: "This workspace requires two-factor authentication. Turn it on for your account.",
  },
  two_factor_on: { status: 409, message: "Two-factor authentication is already on" },
  two_factor_off: { status: 409, message: "Two-factor authentication is off" },
  two_factor_needed: { status: 409, message: "A workspace of yours requires two-factor authentication" },
  reauthenticate: { status: 403, message: "Confirm who you are first" },
  no_workspaces: { status: 403, message: "Sign-up is by invitation: only owners create workspaces" },
  sign_up_by_invitation: { status: 403, message: "Sign-up is by invitation" },
  foreign_origin: {
    status: 403,
    message: "Write requests need Content-Type: application/json and this service's Origin",
  },
  cross_site: { status: 403, message: "Another site can't start this download. Start it from the dashboard." },
  not_a_member: { status: 403, message: "You are not an active member of this workspace" },
  role_too_low: { status: 403, message: "Your role in this workspace does not allow this" },
  link_not_found: { status: 400, message: "Referral link not found" },
  program_not_found: { status: 400, message: "Program not found" },
  program_id_required: { status: 400, message: "program_id is required" },
  occurred_at_needs_key: { status: 400, message: "occurred_at needs a program API key" },
  customer_not_found: { status: 400, message: "Customer not found. Provide a valid click_id or customer_key." },
  customer_of_another_program: { status: 400, message: "Customer does not belong to this program" },
  duplicate_transaction: { status: 409, message: "Duplicate transaction_id. This sale has already been recorded." },
  unknown_subscription: { status: 400, message: "customer_key or click_id is required" },
  sale_not_found: { status: 404, message: "Sale not found for transaction_id" },
  refund_exceeds_sale: { status: 400, message: "refund_amount_cents exceeds the amount left to refund" },
  refund_conflict: { status: 409, message: "Duplicate refund_id. This refund has already been recorded differently." },
  too_many_refunds: { status: 409, message: caps.refunds.message },
  already_corrected: { status: 409, message: "This sale has been corrected already. Correct the newest one." },
  nothing_to_correct: { status: 409, message: "The correction changes nothing" },
  below_refunded: {
    status: 409,
    message: "The amount is less than what was already refunded. Cancel that refund first.",
  },
  refunds_in_other_currency: {
    status: 409,
    message: "Refunds of this sale name amounts in its currency. Cancel them first, and report them again afterwards.",
  },
  too_many_to_repeat: { status: 409, message: caps.repeatedRefunds.message },
  id_taken: { status: 409, message: "Another record already has the id that the correction needs" },
  not_found: { status: 404, message: "Not found" },
  nothing_to_explain: { status: 404, message: "Not found" },
  account_exists: { status: 409, message: "An account with this email already exists. Sign in." },
  code_taken: { status: 409, message: "Another partner in this program already has this code" },
  last_owner: { status: 409, message: "A workspace needs at least one active owner" },
  slug_taken: { status: 409, message: "Another program's join page has this address" },
  declined: { status: 409, message: "This application was declined. You can apply again 30 days later." },
  join_full: { status: 409, message: caps.openApplications.message },
  decided: { status: 409, message: "The application was decided otherwise" },
  terms_changed: { status: 409, message: "Read and accept the newest terms" },
  wrong_password: { status: 400, message: "The password is incorrect" },
  invalid_account: { status: 400, message: "This account doesn't fit the method: check it" },
  view_only: { status: 403, message: "Your access to this partner is read-only" },
  inactive: { status: 409, message: "The partner or its program isn't active" },
  invitation_invalid: { status: 400, message: "This invitation is invalid, expired or already used" },
  reset_invalid: { status: 400, message: "This reset link is invalid, expired or already used" },
  cap_reached: { status: 409, message: "Limit reached" },
  too_many_versions: { status: 409, message: caps.versions.message },
  moving: {
    status: 409,
    message: "This customer's sales are still being attributed. Try again in a moment.",
  },
  program_archived: { status: 409, message: "This program is archived. Restore it first." },
  adjustment_conflict: {
    status: 409,
    message: "Duplicate reference. This partner already has an adjustment with it that was recorded differently.",
  },
  draft_exists: {
    status: 409,
    message: "The program already has a draft payout in this currency. Finalize or cancel it first.",
  },
  payout_conflict: {
    status: 409,
    message: "Duplicate reference. A payout with it has already been created differently.",
  },
  total_differs: { status: 409, message: "The payout's total differs from expectedTotalCents" },
  all_left_out: { status: 409, message: "Every line was left out" },
  count_differs: { status: 409, message: "The filter now selects another number of commissions than expectedCount" },
  same_person: { status: 403, message: "Another person than the one who finalized the payout must confirm it" },
  restored: {
    status: 409,
    message:
      "The database was restored from a backup, so payouts since then are missing. Enter those first, then send restoreAcknowledged.",
  },
  commission_closed: { status: 409, message: "The commission's state does not allow this" },
  sale_rejected: { status: 409, message: "A sale with a rejected commission can't be corrected" },
  transaction_id_too_long: { status: 409, message: "The sale's transaction id is too long to be corrected" },
  nothing_payable: { status: 409, message: "Nothing is payable" },
  reference_canceled: { status: 409, message: "The payout with this reference was canceled" },
  no_payer: { status: 409, message: "Set the bank account that you pay from first." },
  nothing_for_format: { status: 409, message: "The payout has no lines for this file" },
  payout_not_final: { status: 409, message: "Finalize the payout first." },
  payout_not_paid: { status: 409, message: "Only lines of a paid payout can fail" },
  payout_closed: { status: 409, message: "The payout's status does not allow this" },
  payout_changed: { status: 409, message: "The payout's status is not expectedStatus" },
  payout_unconfirmed: {
    status: 409,
    message: "A payout is final. Confirm or cancel it before one person can confirm payouts.",
  },
  already_member: { status: 409, message: "You are already a member of this workspace" },
  program_paused: { status: 409, message: "The program is paused and records no clicks" },
  // The edge follows both, and answers `unavailable` where that takes too long.
  program_moved: { status: 503, message: unavailable },
  program_moving: { status: 503, message: unavailable },
  move_refused: { status: 409, message: "The program can't be moved now" },
  unavailable: {
    status: 503,
    message: unavailable,
    typedCode: "service_unavailable",
  },
  internal: { status: 500, message: "Internal server error", typedCode: "internal_error" },
} as const satisfies Record<RefusalCode, Entry>;

export const tableEntry = (code: RefusalCode): Entry => refusalTable[code];

export function messageOf(refusal: Refusal, style: RefusalStyle | undefined): string {
  switch (refusal.code) {
    case "invalid_input":
      return refusal.errors[0].message;
    case "nothing_to_explain":
      return refusal.message;
    case "all_left_out":
      return leftOutMessage(refusal.reasons);
    case "cap_reached":
    case "links_full":
      return caps[refusal.cap].message;
    case "not_found":
      return `${refusal.what.charAt(0).toUpperCase()}${refusal.what.slice(1)} not found`;
    case "key_retired":
      return `This API key was retired on ${dateUtc(refusal.retiredAt)}.`;
    case "payload_too_large":
      return `Request body is larger than ${refusal.kibibytes} KiB`;
    case "insufficient_scope":
      return `This API key doesn't have the scope "${refusal.needed}", which the call needs.`;
    case "commission_closed":
      return `A ${refusal.status} commission can't be ${refusal.decision}`;
    case "payout_closed":
      return `A ${refusal.status} payout can't be ${refusal.action}`;
    case "payout_changed":
      return `The payout is ${refusal.status} now, not ${refusal.expectedStatus}`;
    default:
      return style?.messages[refusal.code] ?? refusalTable[refusal.code].message;
  }
}

function leftOutMessage(reasons: readonly SkipReason[]): string {
  const left = `${refusalTable.all_left_out.message} (${reasons.join(", ")}).`;
  const remedy = "To pay partners whose details were changed recently, send includeChanged: true and changedUntil.";
  return reasons.includes("details_changed") ? `${left} ${remedy}` : left;
}

const errorsOf = (errors: readonly FieldError[]) => ({
  errors: errors.map(({ path, message }) => ({ path, message, name: "ValidationError" })),
});

/** Their details are their own fields, the code among them. */
const selfDescribing: ReadonlySet<RefusalCode> = new Set([
  "insufficient_scope",
  "differs",
  "final",
  "past_needs_consent",
  "external_id_taken",
  "code_taken",
  "test_key",
  "already_corrected",
  "below_refunded",
  "refunds_in_other_currency",
  "id_taken",
  "count_differs",
  "commission_closed",
  "payout_closed",
  "payout_changed",
  "body_too_late",
  "cross_site",
  "nothing_to_correct",
  "sale_rejected",
  "transaction_id_too_long",
  "nothing_payable",
  "reference_canceled",
  "payout_not_final",
  "no_payer",
  "nothing_for_format",
  "payout_not_paid",
  "payout_unconfirmed",
  "already_member",
  "program_paused",
  "sign_in_expired",
  "two_factor_failed",
  "two_factor_required",
  "two_factor_on",
  "two_factor_off",
  "two_factor_needed",
  "reauthenticate",
  "slug_taken",
  "declined",
  "join_full",
  "decided",
  "terms_changed",
  "wrong_password",
  "invalid_account",
  "invitation_invalid",
  "view_only",
  "no_workspaces",
  "inactive",
] as const);

export function detailsOf(refusal: Refusal): Record<string, unknown> {
  switch (refusal.code) {
    case "invalid_input":
      return errorsOf(refusal.errors);
    case "program_id_required":
      return errorsOf([{ path: ["program_id"], message: refusalTable[refusal.code].message }]);
    case "rate_limited":
      return { retry_after_seconds: refusal.retryAfterSeconds };
    case "duplicate_transaction":
      return {
        ...saleReply(refusal.sale),
        same_request: refusal.differences.length === 0,
        differences: refusal.differences,
      };
    case "refund_exceeds_sale":
      return { refundable_cents: refusal.refundableCents };
    case "unknown_subscription":
      return { unknown_subscription_id: true };
    case "moving":
      return { reason: "moving" };
    case "move_refused":
      return { code: refusal.code, reason: refusal.reason };
    case "draft_exists":
      return { payoutId: refusal.payoutId, reference: refusal.reference };
    case "all_left_out":
    case "total_differs":
      return { code: refusal.code, changes: refusal.changes };
    case "restored":
      return restoredDetails(refusal.restored);
    case "too_many_to_repeat":
      return { code: refusal.code, limit: caps.repeatedRefunds.max };
    case "cap_reached":
    case "links_full":
      return { code: refusal.code, limit: caps[refusal.cap].max };
    case "keys_full":
      return { code: refusal.code, limit: caps.keys.max };
    case "too_many_versions":
      return { code: refusal.code, limit: caps.versions.max };
    case "too_many_refunds":
      return { code: refusal.code, limit: caps.refunds.max };
    case "role_too_low":
      return { needed: refusal.needed };
    case "refund_conflict":
    case "adjustment_conflict":
    case "payout_conflict":
      return { differences: refusal.differences };
    default:
      return selfDescribing.has(refusal.code) ? { ...refusal } : {};
  }
}

function restoredDetails({ restoredAt, backupAt, payoutId, finalizedAt, paidAt, ...payout }: RestoredSummary) {
  const { reference, currency, totalCents } = payout;
  const last = { id: payoutId, reference, currency, totalCents };
  return {
    code: "restored",
    restoredAt: timestamp(restoredAt),
    backupAt: timestampOrNull(backupAt),
    lastPayout:
      payoutId === null
        ? null
        : { ...last, finalizedAt: timestampOrNull(finalizedAt), paidAt: timestampOrNull(paidAt) },
  };
}

export const retryAfterOf = (refusal: Refusal): number | undefined =>
  "retryAfterSeconds" in refusal ? refusal.retryAfterSeconds : undefined;
