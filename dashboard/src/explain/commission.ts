import { formatMoney } from "../format.ts";

/** What a commission freezes of why it is what it is. */
type Frozen = {
  readonly decision: "earned" | "void";
  readonly reason?: string;
  readonly sale: { readonly amountCents: number; readonly currency: string; readonly occurredAt: string };
  readonly partner: { readonly code: string } | null;
  readonly click: { readonly at: string } | null;
  readonly clickAgeDays: number | null;
  readonly windowDays: number | null;
  readonly evidence: "key" | "browser" | null;
  readonly model: "last_click" | "first_click" | null;
  readonly policy: {
    readonly version: number;
    readonly partnerId: number | null;
    readonly type: "percent" | "flat" | "none";
    readonly rateBps: number | null;
    readonly currency: string | null;
    readonly holdDays: number;
    readonly minSaleCents: number | null;
  } | null;
  readonly uncappedCents?: number;
  readonly capped?: boolean;
  readonly amountCents?: number;
  readonly holdUntil?: string;
};

export interface Explained {
  readonly status: string;
  readonly unconfirmed: boolean;
  readonly amountCents: number;
  readonly currency: string;
  readonly explanation: Readonly<Record<string, unknown>>;
}

const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const day = (instant: string) => dates.format(new Date(instant));
const days = (n: number) => (n === 1 ? "1 day" : `${n} days`);

/** Why a commission is what it is, sentence by sentence. */
export function explainCommission({ explanation, ...commission }: Explained): readonly string[] {
  const frozen = explanation as Frozen;
  return [
    ...(frozen.partner === null ? [] : [attribution(frozen)]),
    ...(frozen.decision === "earned" ? earned(frozen) : [`Nothing is due: ${whyNothing(frozen)}`]),
    ...(frozen.decision === "earned" ? since(frozen, commission) : []),
  ];
}

function attribution({ partner, click, clickAgeDays, windowDays, evidence, model }: Frozen): string {
  const before = clickAgeDays === 0 ? "less than a day" : days(clickAgeDays ?? 0);
  const at = click === null ? "" : ` of ${day(click.at)}, ${before} before they became a customer`;
  const window = windowDays === null ? "" : ` within the window of ${days(windowDays)}`;
  const rule = model === "first_click" ? "first" : "last";
  const shown = evidence === "browser" ? "by their browser alone" : "by your server";
  return `The customer came by the link of ${partner?.code}, with the click${at}. It is their ${rule} one${window}, and was shown ${shown}.`;
}

function earned({ sale, policy, uncappedCents = 0, capped, amountCents = 0, holdUntil }: Frozen): string[] {
  if (policy === null) return [];
  const money = (cents: number) => formatMoney(cents, sale.currency);
  const whose = policy.partnerId === null ? "The program’s commission" : "The partner’s own commission";
  const rule =
    policy.type === "flat"
      ? `pays ${money(uncappedCents)} a sale`
      : `pays ${(policy.rateBps ?? 0) / 100} % of ${money(sale.amountCents)}: ${money(uncappedCents)}, a half rounded up`;
  const cap = capped ? ` No sale earns more than ${money(amountCents)}.` : "";
  const hold =
    policy.holdDays === 0 || holdUntil === undefined
      ? "It is not held back."
      : `It is held for ${days(policy.holdDays)} from the sale, until ${day(holdUntil)}.`;
  return [`${whose} of that day, version ${policy.version}, ${rule}.${cap}`, hold];
}

function since({ amountCents: initial = 0 }: Frozen, now: Omit<Explained, "explanation">): string[] {
  const money = (cents: number) => formatMoney(cents, now.currency);
  switch (now.status) {
    case "rejected":
      return ["It was rejected: an entry of minus its amount took it back."];
    case "reversed":
      return ["The sale was refunded, so nothing of it is left."];
    case "pending":
      if (now.unconfirmed)
        return ["A browser alone vouches for it, so time doesn’t approve it: your server’s word or an approval does."];
  }
  return now.amountCents === initial
    ? []
    : [`A part of the sale was refunded: ${money(now.amountCents)} of ${money(initial)} is left.`];
}

function whyNothing({ reason = "", sale, policy, clickAgeDays, windowDays }: Frozen): string {
  const money = (cents: number, currency: string | null) => formatMoney(cents, currency ?? sale.currency);
  const reasons: Readonly<Record<string, string>> = {
    customer_not_found: "no sign-up of this customer was told, and the sale named no click.",
    no_click: "the customer came by no partner’s link.",
    invalid_click_id: "the click that was named is none of this program’s.",
    existing_customer: "the customer had bought before the click.",
    attribution_window_expired: `the click was ${days(clickAgeDays ?? 0)} old, and the window is ${days(windowDays ?? 0)}.`,
    no_commission_policy: "no commission was in force at the time of the sale.",
    partner_inactive: "the partner was paused.",
    program_inactive: "the program was paused.",
    commission_duration_over: "the months in which the customer’s sales pay were over.",
    recurring_not_covered: "the commission is for a customer’s first sale alone, and this is a later one.",
    currency_mismatch: `the commission’s amounts are in ${policy?.currency}, and the sale was in ${sale.currency}.`,
    below_minimum: `the sale of ${money(sale.amountCents, null)} is below the smallest that pays, ${money(policy?.minSaleCents ?? 0, policy?.currency ?? null)}.`,
  };
  return reasons[reason] ?? `${reason}.`;
}
