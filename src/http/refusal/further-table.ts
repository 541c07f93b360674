import { caps } from "#domain/caps.ts";
import type { OwnedAlone, RefusalCode } from "#domain/refusal.ts";
import { ofPayouts } from "./payout-table.ts";
import { responsesOf } from "./responses.ts";
import { full, fullOfItsCap, runningAlready } from "./shapes.ts";
import { ofSignIn } from "./sign-in-table.ts";
import { addEntries, differencesOf, ownFields, type RefusalStyle } from "./table.ts";

const ownedInWords = ({ workspaceName, programs }: OwnedAlone): string =>
  programs.length === 0
    ? workspaceName
    : `${workspaceName} (${programs.map(({ programName }) => programName).join(", ")})`;

const differing = {
  partner: "A partner with this external id exists, with other values",
  payout: "The payout was finalized with other values",
  settlement: "The line was settled with another id",
  line: "The line's state isn't the expected one",
} as const;

addEntries({
  differs: {
    status: 409,
    message: ({ of }) => differing[of ?? "partner"],
    details: ({ code, differences }) => ({ code, differences }),
  },
  external_id_taken: {
    status: 409,
    message: "Another partner in this program already has this external id",
    details: ownFields,
  },
  final: {
    status: 409,
    message: "This customer can't be assigned to another partner any more. Adjust the partners' balances instead.",
    details: ownFields,
  },
  person_not_found: {
    status: 404,
    message: ({ receiptId }) =>
      receiptId === undefined
        ? "No customer has this key, email address or click"
        : "This person's data was already erased",
    title: "person not found",
    details: ({ code, receiptId }) => ({ code, ...(receiptId !== undefined && { receiptId }) }),
  },
  several_customers: {
    status: 409,
    message:
      "Several customers were reported with this click, so it identifies none of them. Send a customer's key or email address instead.",
    title: "several customers",
    details: ownFields,
  },
  too_many_customers: {
    status: 409,
    message: "More than 500 customers have this email address. Send a customer's key instead.",
    title: "too many customers",
    details: ownFields,
  },
  partner_erased: {
    status: 409,
    message: "This partner was erased, so it stays paused and can't be changed",
    details: ownFields,
  },
  money_open: {
    status: 409,
    message:
      "This partner still has a balance. Reject pending commissions, pay the payable amount with minimumCents: 1, or send " +
      "writeOff: true to write off a negative balance.",
    details: ownFields,
  },
  past_needs_consent: {
    status: 400,
    message: "since is in the past. If the customer's sales from then on should earn commission, send payPast: true.",
    details: ownFields,
  },
  links_full: fullOfItsCap,
  keys_full: full("keys"),
  ...ofPayouts,
  ...ofSignIn,
  no_workspaces: {
    status: 403,
    message: "Sign-up is by invitation: only owners create workspaces",
    details: ownFields,
  },
  sign_up_by_invitation: { status: 403, message: "Sign-up is by invitation" },
  foreign_origin: {
    status: 403,
    message: "Write requests need Content-Type: application/json and this service's Origin",
    title: "wrong content type or origin",
  },
  cross_site: {
    status: 403,
    message: "Another site can't open this. Open it from the dashboard.",
    title: "opened by another site",
    details: ownFields,
  },
  not_a_member: { status: 403, message: "You are not an active member of this workspace" },
  role_too_low: {
    status: 403,
    message: "Your role in this workspace does not allow this",
    details: ({ needed }) => ({ needed }),
  },
  owner_only: { status: 403, message: "Only an owner can have earlier sales earn commission", details: ownFields },
  member_of_workspace: {
    status: 403,
    message:
      "A member of the workspace can become a partner of its programs only if an owner sends an invitation for members",
    details: ownFields,
  },
  already_corrected: {
    status: 409,
    message: "This sale has been corrected already. Correct its newest version.",
    details: ownFields,
  },
  nothing_to_correct: { status: 409, message: "The correction changes nothing", details: ownFields },
  below_refunded: {
    status: 409,
    message: "The amount is less than what was already refunded. Cancel that refund first.",
    details: ownFields,
  },
  refunds_in_other_currency: {
    status: 409,
    message:
      "This sale has refunds with amounts in its current currency. Cancel them, correct the sale, then report them again.",
    details: ownFields,
  },
  too_many_to_repeat: full("repeatedRefunds"),
  id_taken: { status: 409, message: "Another record already has the id that the correction needs", details: ownFields },
  not_found: { status: 404, message: ({ what }) => `${what.charAt(0).toUpperCase()}${what.slice(1)} not found` },
  nothing_to_explain: { status: 404, message: ({ message }) => message },
  account_exists: { status: 409, message: "An account with this email already exists. Sign in." },
  code_taken: { status: 409, message: "Another partner in this program already has this code", details: ownFields },
  unknown_group: { status: 400, message: "The program has no group with this name", details: ownFields },
  invalid_token: {
    status: 401,
    message: "The token is missing, invalid or expired, or was ended. Request a new one from your backend.",
    title: "invalid token",
    details: ownFields,
  },
  invalid_proposal: {
    status: 403,
    message:
      "This proposal is invalid, has expired, or was made with an API key that no longer works. Ask for a new link. Nothing was changed.",
    title: "invalid proposal",
    details: ownFields,
  },
  proposal_differs: {
    status: 403,
    message: "This change isn't the one in the proposal. Open the proposal's link again. Nothing was changed.",
    title: "other change than proposed",
    details: ownFields,
  },
  group_taken: { status: 409, message: "Another group in this program already has this name", details: ownFields },
  unit_taken: {
    status: 409,
    message: "This program has a unit with this code and other values. Units never change.",
    details: ownFields,
  },
  units_full: full("units"),
  bonuses_full: full("bonuses"),
  not_ended: { status: 409, message: "Only an ended bonus can be dismissed", details: ownFields },
  bonus_dismissed: { status: 409, message: "The bonus was dismissed", details: ownFields },
  not_in_period: { status: 409, message: "The bonus doesn't apply to this period", details: ownFields },
  period_running: { status: 409, message: "The period isn't over yet", details: ownFields },
  not_reached: {
    status: 409,
    message: "The partner's approved sales in this period don't reach the bonus's threshold",
    details: ownFields,
  },
  coupon_taken: {
    status: 409,
    message: ({ coupon }) =>
      coupon.couponId === undefined
        ? "An offer of this program has one of these codes as a coupon id"
        : "Another coupon in this program already has one of these codes",
    details: ({ code, coupon: { couponId, code: taken } }) => ({
      code,
      ...(couponId !== undefined && { coupon_id: couponId }),
      coupon_code: taken,
    }),
  },
  never_valid: { status: 400, message: "The coupon would end before it begins", details: ownFields },
  webhooks_full: full("webhooks"),
  url_not_allowed: {
    status: 400,
    message:
      "A webhook needs an https address with a public host name and without credentials, and can't call this service",
    details: ownFields,
  },
  too_many_replays: { status: 409, message: "Another replay of this program is still running", details: ownFields },
  webhook_disabled: { status: 409, message: "This webhook is disabled. Enable it first.", details: ownFields },
  webhook_unproved: {
    status: 409,
    message: "This webhook's address hasn't responded with 2xx yet. Send an example once your server accepts calls.",
    details: ownFields,
  },
  too_old: {
    status: 400,
    message:
      "The events after this position are no longer kept. Read newest_seq, then reload your lists, then read the feed after newest_seq.",
    details: ({ code, oldestSeq }) => ({ code, oldest_seq: oldestSeq }),
  },
  feed_restarted: {
    status: 409,
    message: "The feed has no such event: the service was restored from a backup. Read your lists again.",
    details: ({ code, newestSeq }) => ({ code, newest_seq: newestSeq }),
  },
  last_owner: {
    status: 409,
    message: ({ held = [] }) =>
      held.length === 0
        ? "A workspace needs at least one active owner"
        : `You are the last active owner of ${held.map(ownedInWords).join(", ")}. Make another member an owner first.`,
    details: ({ code, held }) => (held === undefined ? {} : { code, workspaces: held }),
  },
  terms_full: full("terms"),
  slug_taken: { status: 409, message: "Another program's join page has this address", details: ownFields },
  declined: {
    status: 409,
    message: "This application was declined. You can apply again 30 days after the decision.",
    details: ownFields,
  },
  join_full: { status: 409, message: caps.openApplications.message, details: ownFields },
  open_needs: {
    status: 409,
    message:
      "An open join page requires that only leads with an API key are attributed, and that self-referrals are held",
    details: ownFields,
  },
  join_page_open: {
    status: 409,
    message:
      "The open join page requires the current setting. First close the page, or set it to decide on each application.",
    details: ownFields,
  },
  decided: {
    status: 409,
    message: ({ of }) => `The ${of ?? "application"} was already decided`,
    details: ({ code, status }) => ({ code, status }),
  },
  claims_full: fullOfItsCap,
  terms_changed: { status: 409, message: "Read and accept the newest terms", details: ownFields },
  wrong_password: { status: 400, message: "The password is incorrect", details: ownFields },
  invalid_account: { status: 400, message: "The account isn't valid for its payment method", details: ownFields },
  view_only: { status: 403, message: "Your access to this partner is read-only", details: ownFields },
  inactive: { status: 409, message: "The partner or its program isn't active", details: ownFields },
  invitation_invalid: {
    status: 400,
    message: "This invitation is invalid, expired or already used",
    title: "invalid invitation",
    details: ownFields,
  },
  reset_invalid: {
    status: 400,
    message: "This reset link is invalid, expired or already used",
    title: "invalid reset link",
  },
  verification_invalid: {
    status: 400,
    message: "This link is invalid or expired. Sign in to have another one mailed.",
    title: "invalid verification link",
    details: ownFields,
  },
  programs_unavailable: {
    status: 503,
    message:
      "A program of this workspace can't be reached, so nothing was changed. Suspend the member now, and remove them later.",
    details: ownFields,
  },
  email_unverified: {
    status: 403,
    message: "Verify your email address first: open the link that was mailed to it",
    details: ownFields,
  },
  no_mail: {
    status: 404,
    message: "This service sends no email. Ask its operator for a reset link.",
    details: ownFields,
  },
  cap_reached: fullOfItsCap,
  too_many_versions: full("versions"),
  too_many_memberships: full("memberships"),
  too_many_sales: {
    status: 400,
    message: ({ limit }) =>
      `These days have more than ${limit.toLocaleString("en")} attributed sales. Choose fewer days.`,
    details: ownFields,
  },
  ...runningAlready,
  moving: {
    status: 409,
    message: "This customer's sales are still being processed. Try again in a moment.",
    title: "sale still being processed",
    details: ({ code }) => ({ reason: code }),
  },
  program_archived: { status: 409, message: "This program is archived. Restore it first.", details: ownFields },
  adjustment_conflict: {
    status: 409,
    message: "Duplicate reference. This partner already has an adjustment with it that was recorded differently.",
    details: differencesOf,
  },
  count_differs: {
    status: 409,
    message: "The filter now selects a different number of commissions than expectedCount",
    details: ownFields,
  },
  no_longer_matches: {
    status: 409,
    message: "The commission has changed, and no longer matches the filter",
    details: ownFields,
  },
  commission_closed: {
    status: 409,
    message: ({ status, decision }) => `A ${status} commission can't be ${decision}`,
    details: ownFields,
  },
  not_open: { status: 409, message: ({ status }) => `A ${status} commission can't be held`, details: ownFields },
  approved_by_person: {
    status: 409,
    message: "A commission that a person has approved can't be held",
    details: ownFields,
  },
  reserved: { status: 409, message: "A commission in a payout can't be held for review", details: ownFields },
  sale_rejected: { status: 409, message: "A sale with a rejected commission can't be corrected", details: ownFields },
  transaction_id_too_long: {
    status: 409,
    message: "The sale's transaction id is too long to be corrected",
    details: ownFields,
  },
  already_member: { status: 409, message: "You are already a member of this workspace", details: ownFields },
  program_paused: { status: 409, message: "The program is paused and records no clicks", details: ownFields },
  move_refused: {
    status: 409,
    message: "The program can't be moved now",
    details: ({ code, reason }) => ({ code, reason }),
  },
});

/**
 * Returns responses by status. Declared in this file, so that importing the function also adds this file's codes to the
 * table.
 */
export const refusals = (codes: readonly RefusalCode[], style?: RefusalStyle) => responsesOf(codes, style);
