import { formatMoney, pluralize } from "../../format.ts";

interface Entry {
  readonly action: string;
  readonly subject: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

const actions: Readonly<Record<string, string>> = {
  "program.created": "Created the program",
  "program.updated": "Changed the settings",
  "program.archived": "Archived the program",
  "program.restored": "Restored the program",
  "key.rotated": "Created API key",
  "partner.created": "Added partner",
  "partner.updated": "Changed partner",
  "policy.set": "Changed the commission",
  "adjustment.created": "Created adjustment for",
  "payout.created": "Created payout",
  "payout.finalized": "Finalized payout",
  "payout.removed": "Removed empty draft payout",
  "payout.returned": "Returned to draft payout",
  "payout.downloaded": "Downloaded the bank file of payout",
  "payout.confirmed": "Marked as paid payout",
  "payout.canceled": "Canceled payout",
  "payout.line_failed": "Marked a line as failed of payout",
  "commission.approved": "Approved commission",
  "commission.rejected": "Rejected commission",
  "workspace.created": "Created the workspace",
  "member.updated": "Changed member",
  "member.removed": "Removed member",
  "invitation.created": "Invited",
  "invitation.revoked": "Revoked the invitation for",
  "invitation.accepted": "Accepted the invitation for",
};

/** By subject. */
export type Names = ReadonlyMap<string, string | undefined>;

export const actionTitle = ({ action }: Pick<Entry, "action">): string => actions[action] ?? action;

export function titleOf({ action, subject }: Entry, names: Names): string {
  const done = actionTitle({ action });
  const [kind = "", id = ""] = subject.split(" ");
  if (kind === "program" || kind === "workspace") return done;
  if (kind === "partner") return `${done}${action === "policy.set" ? " for" : ""} ${names.get(subject) ?? id}`;
  return `${done} ${names.get(subject) ?? id}`;
}

const labels: Readonly<Record<string, string>> = {
  name: "Name",
  role: "Role",
  code: "Code",
  email: "Email",
  status: "Status",
  websiteUrl: "Website",
  destinationUrl: "Landing page",
  currency: "Currency",
  timezone: "Time zone",
  leadAuth: "Accept sign-ups from",
  attributionModel: "Attribution model",
  attributionWindowDays: "Attribution window",
  windowUntil: "Required within the window",
  cookieWindowDays: "Cookie lifetime",
  payoutMode: "Payout method",
  minimumPayoutCents: "Minimum payout",
  payoutTerms: "Payout terms",
  payoutApproval: "Payout approval",
  type: "Type",
  rateBps: "Rate",
  amountCents: "Amount",
  scope: "Applies to",
  durationMonths: "Duration",
  holdDays: "Hold period",
  minSaleCents: "Minimum sale",
  maxCommissionCents: "Maximum per sale",
  version: "Version",
  reason: "Reason",
  reference: "Reference",
  apiTokenMasked: "Key",
  previousRetiresAt: "Previous key expires",
};

/** By field: a name or a reason may be any of these words. */
const words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  leadAuth: { browser_allowed: "browser and server", server_required: "server only" },
  attributionModel: { last_click: "last click", first_click: "first click" },
  windowUntil: { lead: "sign-up", first_sale: "first payment" },
  payoutApproval: { one_person: "one person", two_people: "two people" },
  scope: { one_time: "first sale only", recurring: "sales in the first months", lifetime: "every sale" },
};

const instants = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** `from` is undefined for a new subject. IDs are left out. */
export function changesOf(
  { before, after }: Entry,
  currency: string,
): { name: string; from: string | undefined; to: string }[] {
  const moneyOf = (values: Entry["before"]) => (typeof values?.currency === "string" ? values.currency : currency);
  return Object.entries(labels).flatMap(([field, name]) => {
    const was = before?.[field];
    const is = after?.[field];
    if (was === is || (is == null && was == null)) return [];
    const from = was == null ? undefined : worded(field, was, moneyOf(before));
    return [{ name, from, to: is == null ? "none" : worded(field, is, moneyOf(after)) }];
  });
}

function worded(field: string, value: unknown, currency: string): string {
  if (typeof value === "number") {
    if (field === "rateBps") return `${value / 100}%`;
    if (field.endsWith("Cents")) return formatMoney(value, currency);
    if (field.endsWith("Days")) return pluralize(value, "day");
    if (field.endsWith("Months")) return pluralize(value, "month");
  }
  const text = String(value);
  return field.endsWith("At") ? instants.format(new Date(text)) : (words[field]?.[text] ?? text);
}
