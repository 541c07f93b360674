import { formatMoney } from "../../format.ts";

interface Entry {
  readonly action: string;
  readonly subject: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

const actions: Readonly<Record<string, string>> = {
  "program.created": "Made the program",
  "program.updated": "Changed the settings",
  "program.archived": "Archived the program",
  "program.restored": "Restored the program",
  "key.rotated": "Made a new key",
  "partner.created": "Took in the partner",
  "partner.updated": "Changed the partner",
  "policy.set": "Set the commission",
  "commission.approved": "Approved the commission",
  "commission.rejected": "Rejected the commission",
  "workspace.created": "Created the workspace",
  "member.updated": "Changed the member",
  "member.removed": "Removed the member",
  "invitation.created": "Invited",
  "invitation.revoked": "Revoked the invitation for",
  "invitation.accepted": "Joined by the invitation for",
};

/** What was done, and with what. `names` are those of subjects that have one. */
export function titleOf({ action, subject }: Entry, names: ReadonlyMap<string, string>): string {
  const done = actions[action] ?? action;
  const [kind = "", id = ""] = subject.split(" ");
  if (kind === "program" || kind === "workspace") return done;
  if (kind === "partner") return `${done}${action === "policy.set" ? " of" : ""} ${names.get(subject) ?? id}`;
  return `${done} ${names.get(subject) ?? id}`;
}

const labels: Readonly<Record<string, string>> = {
  name: "Name",
  role: "Role",
  code: "Code",
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
  payoutMode: "Payout",
  type: "Type",
  rateBps: "Rate",
  amountCents: "Amount",
  scope: "Of",
  durationMonths: "For",
  holdDays: "Held for",
  minSaleCents: "Smallest sale",
  maxCommissionCents: "At most",
  version: "Version",
  reason: "Reason",
  apiTokenMasked: "Key",
  previousRetiresAt: "The one before ends",
};

/** By field, for a name or a reason may be any of these words. */
const words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  leadAuth: { browser_allowed: "browser and server", server_required: "server only" },
  attributionModel: { last_click: "last click", first_click: "first click" },
  windowUntil: { lead: "sign-up", first_sale: "first payment" },
  scope: { one_time: "the first sale alone", recurring: "sales of the first months", lifetime: "every sale" },
};

const instants = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** What differs, in words; `from` is undefined where there was nothing before. Ids say nothing to a person. */
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
    if (field === "rateBps") return `${value / 100} %`;
    if (field.endsWith("Cents")) return formatMoney(value, currency);
    if (field.endsWith("Days")) return `${value} days`;
    if (field.endsWith("Months")) return `${value} months`;
  }
  const text = String(value);
  return field.endsWith("At") ? instants.format(new Date(text)) : (words[field]?.[text] ?? text);
}
