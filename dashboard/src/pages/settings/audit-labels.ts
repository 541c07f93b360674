import type { Rule } from "#domain/rules.ts";
import type { Tiers } from "#domain/tiers.ts";
import type { Unit } from "#domain/units.ts";
import { accountActionTitles } from "../../account-actions.ts";
import type { Group } from "../../api/groups.ts";
import { formatMoney, pluralize } from "../../format.ts";
import { formatInstant } from "../../format-time.ts";
import { limits } from "../../forms/policy.ts";
import { describeRules, describeTiers } from "../../forms/policy-text.tsx";
import { listScopes } from "../../key-grants.ts";
import { salesText, termsText } from "../partners/bonuses/words.ts";
import { words } from "./audit-words.ts";
import { listTheme } from "./list-theme.ts";

interface Entry {
  readonly action: string;
  readonly subject: string;
  readonly partnerName?: string | null;
  readonly currency?: string | null;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** Titles of actions. `{}` is replaced by the subject, and `{partner}` by the partner that the subject belongs to. */
export const actions: Readonly<Record<string, string>> = {
  "program.created": "Created the program",
  "program.updated": "Changed the settings",
  "program.archived": "Archived the program",
  "program.restored": "Restored the program",
  "key.created": "Created API key {}",
  "key.updated": "Changed API key {}",
  "key.rotated": "Rotated an API key to {}",
  "key.ended": "Ended API key {}",
  "partner.created": "Added partner {}",
  "partner.updated": "Changed partner {}",
  "partner.viewed": "Viewed the pages that {} sees",
  "partner_invitation.created": "Invited {}",
  "partner_invitation.revoked": "Revoked all open invitations of partners",
  "partner_access.granted": "Accepted the invitation for {}",
  "partner_access.ended": "Ended an account's access to {}",
  "payment_details.changed": "Changed the payment details of {}",
  "payment_details.requested": "Asked {} for payment details",
  "join_page.saved": "Changed the join page",
  "embed.saved": "Changed the embedded referral page",
  "terms.created": "Published terms for partners",
  "terms.accepted": "Accepted the terms for {}",
  "application.received": "Applied to become a partner",
  "application.approved": "Approved application {}",
  "application.declined": "Declined application {}",
  "claim.opened": "Reported a missing sale of {partner} on {}",
  "claim.theirs": "Credited the claim of {partner} with sale {}",
  "claim.declined": "Declined the claim of {partner} about a sale on {}",
  "link.created": "Gave {} a further code",
  "link.updated": "Changed a code of {}",
  "rows.imported": "Imported rows",
  "customer.imported": "Imported customer {} for {partner}",
  "customer.updated": "Completed customer {}",
  "customer.assigned": "Assigned customer {} to {partner}",
  "person.exported": "Exported a customer",
  "person.erased": "Erased a customer",
  "partner.erased": "Erased {}",
  "group.created": "Created group {}",
  "group.updated": "Renamed group {}",
  "group.partners_added": "Added partners to group {}",
  "group.partners_removed": "Removed partners from their groups",
  "unit.created": "Created unit {}",
  "coupon.created": "Created coupon {} for {partner}",
  "coupon.updated": "Changed coupon {}",
  "bonus.created": "Created the bonus of {}",
  "bonus.ended": "Ended the bonus of {}",
  "bonus.dismissed": "Dismissed the bonus of {}",
  "webhook.created": "Created webhook {}",
  "webhook.updated": "Changed webhook {}",
  "webhook.rotated": "Rotated the secret of webhook {}",
  "webhook.replayed": "Replayed events to webhook {}",
  "webhook.deleted": "Deleted webhook {}",
  "adjustment.created": "Adjusted the balance of {}",
  "payout.created": "Created payout {}",
  "payout.finalized": "Finalized payout {}",
  "payout.restore_acknowledged": "Acknowledged the restore before payout {}",
  "payout.downloaded": "Downloaded the payment list of payout {}",
  "payout.confirmed": "Marked payout {} as paid",
  "payout.statements_mailed": "Mailed the statements of payout {}",
  "payout.canceled": "Canceled payout {}",
  "payout.rest_canceled": "Canceled the remaining lines of payout {}",
  "payout.settled": "Closed payout {} after its last line",
  "payout.line_settled": "Settled the line of {partner} in payout {}",
  "payout.line_settled_late": "Deducted the late settlement of {partner} in payout {}",
  "payout.line_failed": "Marked the payment to {partner} in payout {} as failed",
  "commission.approved": "Approved the commission for {}",
  "commission.rejected": "Rejected the commission for {}",
  "commission.held": "Held the commission for {} for review",
  "commission.released": "Released the commission for {}",
  "sale.corrected": "Corrected sale {}",
  "workspace.created": "Created the workspace",
  "workspace.updated": "Changed the workspace",
  "member.updated": "Changed member {}",
  "member.removed": "Removed member {}",
  "member.left": "Left the workspace",
  "invitation.created": "Invited {}",
  "invitation.revoked": "Revoked the invitation for {}",
  "invitation.accepted": "Accepted the invitation for {}",
};

const accountTitles: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(accountActionTitles).map(([action, title]) => [`account.${action}`, title]),
);

function policyTitle({ subject, after }: Entry): string {
  const isOfProgram = subject.startsWith("program ");
  const owner = subject.startsWith("group ") ? "group {}" : "{}";
  if (after?.type === "none")
    return isOfProgram ? "Stopped paying commission" : `Removed the custom commission of ${owner}`;
  return isOfProgram ? "Changed the commission" : `Changed the commission of ${owner}`;
}

const offerTitle = ({ subject }: Entry): string =>
  subject.startsWith("group ") ? "Changed the customer offer of group {}" : "Changed the customer offer";

/** Titles that depend on the whole entry. */
const titles: Readonly<Record<string, (entry: Entry) => string>> = {
  "policy.set": policyTitle,
  "offer.set": offerTitle,
};

const isSubject = "{}";
const isPartner = "{partner}";

/** Splits the title of an entry into texts and the places of the entry's subject and partner. */
export function titleParts(entry: Entry): readonly (string | { readonly of: "subject" | "partner" })[] {
  const { action } = entry;
  const title = titles[action]?.(entry) ?? actions[action] ?? accountTitles[action] ?? `${action} {}`;
  return title
    .split(/(\{\w*\})/)
    .filter(Boolean)
    .map((part) => (part === isSubject ? { of: "subject" } : part === isPartner ? { of: "partner" } : part));
}

const labels: Readonly<Record<string, string>> = {
  name: "Name",
  role: "Role",
  code: "Code",
  codes: "Codes",
  email: "Email",
  status: "Status",
  validFrom: "Valid from",
  validUntil: "Valid until",
  websiteUrl: "Website",
  destinationUrl: "Landing page",
  currency: "Currency",
  timezone: "Time zone",
  url: "URL",
  types: "Event types",
  testMode: "Test events",
  leadAuth: "Accept leads from",
  attributionModel: "Attribution model",
  attributionWindowDays: "Attribution window",
  windowUntil: "Required within the window",
  cookieWindowDays: "Cookie lifetime",
  payoutMode: "Payout method",
  minimumPayoutCents: "Minimum payout",
  payoutTerms: "Payout terms",
  method: "Payment method",
  payoutApproval: "Payout approval",
  settledBy: "Who settles",
  settlementId: "Settlement",
  settledAt: "Settled at",
  requireDetails: "Payouts need payment details",
  partnersSeeRevenue: "Partners see revenue",
  payerName: "Holder of your bank account",
  payerIban: "End of its IBAN",
  payerBic: "BIC",
  issuerName: "Issuer of statements",
  issuerAddress: "Its address",
  issuerTaxId: "End of its tax ID",
  format: "Format",
  rateBps: "Rate",
  amountCents: "Amount",
  unit: "Unit",
  digits: "Decimals",
  one: "Singular",
  other: "Plural",
  scope: "Applies to",
  durationMonths: "Duration",
  holdDays: "Hold period",
  ...Object.fromEntries(limits.map(({ name, label }) => [name, label])),
  rules: "Rules",
  tiers: "Tiers",
  metric: "Counted",
  period: "Period",
  threshold: "To reach",
  fromPeriod: "First period",
  untilPeriod: "Last period",
  state: "Offer",
  label: "Text for customers",
  details: "Conditions",
  couponIds: "Coupon IDs",
  until: "Until",
  selfReferral: "Self-referrals",
  duplicateSource: "Duplicate sales",
  blockedSource: "Blocked sites",
  manySources: "Customers with many addresses",
  blockedHosts: "Sites to block",
  reviewDays: "Review ends after",
  isRiskExempt: "Signals only flag",
  partners: "Partners",
  requireTwoFactor: "Two-factor authentication",
  device: "Device",
  place: "Country",
  transactionId: "Order",
  customerKey: "Customer",
  since: "Since",
  firstSaleAt: "First sale in the former program",
  subscriptionId: "Subscription",
  sales: "Earlier sales that earn",
  occurredAt: "Date",
  commissionCents: "Commission",
  mode: "Applications",
  slug: "Address of the page",
  headline: "Headline",
  description: "Description",
  questions: "Questions",
  origins: "Origins",
  theme: "Looks",
  showCommissions: "Shows commissions",
  showPayouts: "Shows payouts",
  showClaims: "Shows claims",
  tokensEndedAt: "Tokens ended",
  version: "Version",
  termsVersion: "Version of the terms",
  openedOn: "Approved by the join page",
  reason: "Reason",
  partnerNote: "Note to the partner",
  note: "Note",
  kind: "Kind",
  source: "Source",
  created: "Created",
  updated: "Updated",
  unchanged: "Unchanged",
  refused: "Refused",
  externalId: "Your ID",
  groupId: "Group",
  reference: "Reference",
  scopes: "Scopes",
  book: "Data",
  apiTokenMasked: "Key",
  expiresAt: "Expires",
  previousRetiresAt: "Previous key expires",
  retiresAt: "Expires",
};

/** False for a policy's version and, if the policy ends, for all its terms except the rate and the amount. */
const isShownOfPolicy = (field: string, after: Entry["after"]): boolean =>
  after?.type === "none" ? field === "rateBps" || field === "amountCents" : field !== "version";

/** The dashboard gives an adjustment a UUID as its reference if the user enters none. */
const isGenerated = (reference: unknown): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(String(reference));

/** The changes of an entry. `from` is undefined for a new subject. Leaves out IDs, but shows the names of groups. */
export function changesOf(
  { action, before, after, currency: own }: Entry,
  { currency, timezone, groups }: Place,
): { name: string; from: string | undefined; to: string }[] {
  const moneyOf = (values: Entry["before"]) =>
    typeof values?.currency === "string" ? values.currency : (own ?? currency);
  const rewardOf = (values: Entry["before"]) => unitOf(values)?.code ?? moneyOf(values);
  const placeOf = (values: Entry["before"]) => ({ currency: moneyOf(values), reward: rewardOf(values), timezone });
  const textOf = (field: string, value: unknown, values: Entry["before"]) => {
    if (field === "groupId") return groups?.find(({ id }) => id === value)?.name ?? String(value);
    return field === "threshold" ? salesText(Number(value), values as Terms) : worded(field, value, placeOf(values));
  };
  return Object.entries(labels).flatMap(([field, name]) => {
    const was = before?.[field];
    const is = after?.[field];
    if (JSON.stringify(was ?? null) === JSON.stringify(is ?? null)) return [];
    if (action === "policy.set" && !isShownOfPolicy(field, after)) return [];
    if (field === "reference" && isGenerated(is)) return [];
    const from = was == null ? undefined : textOf(field, was, before);
    return [{ name, from, to: is == null ? "none" : textOf(field, is, after) }];
  });
}

/** The unit of a changed policy. */
const unitOf = (values: Entry["before"]): Unit | undefined =>
  typeof values?.unit === "object" && values.unit !== null ? (values.unit as Unit) : undefined;

type Terms = Parameters<typeof termsText>[0];

/** The terms of a changed bonus, in words. */
export const bonusText = ({ after }: Entry): string | undefined =>
  after?.metric === undefined ? undefined : termsText(after as Terms);

interface Place {
  readonly currency: string;
  readonly timezone: string;
  /** Undefined for changes to a workspace, which has no groups. */
  readonly groups?: readonly Pick<Group, "id" | "name">[] | undefined;
}

const isInstant = (field: string): boolean => /At$|^(?:since|until|validFrom|validUntil)$/.test(field);

function wordedNumber(field: string, value: number, currency: string): string {
  if (field === "rateBps") return `${value / 100}%`;
  if (field.endsWith("Cents")) return formatMoney(value, currency);
  if (field.endsWith("Days")) return pluralize(value, "day");
  if (field.endsWith("Months")) return pluralize(value, "month");
  return words[field]?.[value] ?? String(value);
}

function worded(field: string, value: unknown, { currency, reward, timezone }: Place & { reward: string }): string {
  const text = String(value);
  if (isInstant(field))
    return formatInstant(new Date(typeof value === "number" ? value : text).toISOString(), timezone);
  if (typeof value === "number") return wordedNumber(field, value, field === "amountCents" ? reward : currency);
  if (field === "unit") return (value as Unit).other;
  if (field === "rules") return describeRules(value as readonly Rule[], reward);
  if (field === "tiers") return describeTiers(value as Tiers, currency, reward);
  if (field === "codes") return (value as readonly string[]).join(", ");
  const list = lists[field];
  if (list !== undefined) return list(text);
  return words[field]?.[text] ?? text;
}

const lists: Readonly<Record<string, (text: string) => string>> = {
  couponIds: (json) => Object.values(JSON.parse(json)).join(", ") || "none",
  scopes: (text) => listScopes(text.split(" ")),
  questions: listQuestions,
  types: (text) => text.replaceAll(/["[\]]/g, "").replaceAll(",", ", "),
  origins: (json) => (JSON.parse(json) as readonly string[]).join(", ") || "none",
  theme: listTheme,
  blockedHosts: (json) => (JSON.parse(json) as readonly string[]).join(", ") || "none",
};

/** The questions of a join page as text, from their JSON. */
function listQuestions(json: string): string {
  const questions = JSON.parse(json) as readonly { readonly label: string }[];
  return questions.map(({ label }) => label).join(" · ") || "none";
}
