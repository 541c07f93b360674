import type { Policy, VoidReason } from "../../src/domain/commission.ts";
import { formatMoney, pluralize } from "./format.ts";

export type Explanation = {
  readonly decidedAt: string;
  readonly sale: {
    readonly transactionId: string;
    readonly amountCents: number;
    readonly currency: string;
    readonly occurredAt: string;
  };
  readonly click: { readonly id: string; readonly at: string } | null;
  /**
   * Whole days from the click to the sign-up or sale that attributed the customer. After an expired window, to the
   * event that it was checked against.
   */
  readonly clickAgeDays: number | null;
  readonly windowDays: number | null;
  readonly evidence: "key" | "browser" | null;
  readonly model: "last_click" | "first_click" | null;
  readonly policy: Omit<Policy, "id" | "effectiveFrom"> | null;
} & (
  | {
      readonly decision: "earned";
      readonly uncappedCents: number;
      readonly capped: boolean;
      readonly amountCents: number;
      readonly holdUntil: string;
    }
  | { readonly decision: "void"; readonly reason: string }
);

/** The wire types it as arbitrary JSON. */
export const readExplanation = (frozen: Readonly<Record<string, unknown>>): Explanation => frozen as Explanation;

const percents = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

export const formatDate = (instant: string): string => dates.format(new Date(instant));

const days = (count: number) => pluralize(count, "day");

export const statusLabels = {
  pending: "Pending",
  approved: "Approved",
  paid: "Paid",
  reversed: "Reversed",
  rejected: "Rejected",
  void: "No commission",
} as const;

export const reasonLabels: Readonly<Record<string, string>> = {
  customer_not_found: "No matching customer",
  no_click: "No click",
  invalid_click_id: "Invalid click ID",
  existing_customer: "Existing customer",
  attribution_window_expired: "Click expired",
  no_commission_policy: "No commission set",
  partner_inactive: "Partner paused",
  program_inactive: "Program paused",
  commission_duration_over: "Commission period over",
  recurring_not_covered: "Repeat purchase",
  currency_mismatch: "Currency mismatch",
  below_minimum: "Below minimum sale",
  one_time_used: "One-time commission used",
} satisfies Record<VoidReason | "one_time_used", string>;

type OfCommission = Pick<Explanation, "sale" | "policy" | "clickAgeDays" | "windowDays">;

/** `known` adds figures of the commission, if there is one. */
export function explainReason(reason: string, known?: OfCommission): string {
  const policy = known?.policy;
  switch (reason) {
    case "customer_not_found":
      return "This customer is unknown: no sign-up was reported for them before the sale, and the sale had no click ID.";
    case "no_click":
      return "The customer is known, but didn't come from a partner's click.";
    case "invalid_click_id":
      return "The click ID isn't valid: it's incomplete, made up, or belongs to another program.";
    case "existing_customer":
      return "The customer had already bought before they clicked a partner's link.";
    case "attribution_window_expired":
      return known?.clickAgeDays == null || known.windowDays === null
        ? "The click was older than the attribution window."
        : `The click was ${days(known.clickAgeDays)} old, and the attribution window was ${days(known.windowDays)}.`;
    case "no_commission_policy":
      return "No commission was in effect for this partner.";
    case "partner_inactive":
      return "The partner was paused.";
    case "program_inactive":
      return "The program was paused.";
    case "commission_duration_over":
      return policy?.durationMonths == null
        ? "The policy's commission period was over."
        : `The policy pays for ${pluralize(policy.durationMonths, "month")} from the customer's first sale, and that period was over.`;
    case "recurring_not_covered":
      return "The policy pays only for a customer's first sale, and this was a later one.";
    case "one_time_used":
      return "The policy pays one commission per customer, and another sale to this customer already earned it.";
    case "currency_mismatch":
      return policy?.currency == null || known === undefined
        ? "The policy's amounts are in a different currency than the sale. Amounts are never converted."
        : `The policy's amounts are in ${policy.currency}, and the sale is in ${known.sale.currency}. Amounts are never converted.`;
    case "below_minimum":
      return policy?.minSaleCents == null || known === undefined
        ? "The sale is below the policy's minimum."
        : `The sale is below the policy's minimum of ${formatMoney(policy.minSaleCents, known.sale.currency)}.`;
    default:
      return `Reason: "${reason}".`;
  }
}

export function explainAmount(explanation: Explanation): string {
  if (explanation.decision === "void") return explainReason(explanation.reason, explanation);
  const { policy, sale, amountCents, uncappedCents, capped } = explanation;
  const money = (cents: number) => formatMoney(cents, sale.currency);
  const before =
    policy?.type === "percent"
      ? `${percents.format((policy.rateBps ?? 0) / 100)}% of ${money(sale.amountCents)} = ${money(uncappedCents)} (rounded half up)`
      : `Fixed amount of ${money(uncappedCents)} per sale`;
  return capped ? `${before}, capped at ${money(amountCents)}.` : `${before}.`;
}

export function explainClick({ click, clickAgeDays, windowDays, model, evidence }: Explanation): string | undefined {
  if (click === null || clickAgeDays === null || windowDays === null) return undefined;
  const age = clickAgeDays === 0 ? "less than a day" : days(clickAgeDays);
  const chosen = model === "first_click" ? "First click" : "Last click";
  const reported = evidence === "browser" ? "Reported by the browser" : "Reported by your server";
  return `${chosen}, ${age} old (${windowDays}-day window). ${reported}.`;
}

const scopes = {
  one_time: () => "for the customer's first sale only",
  recurring: (months: number | null) => `for ${pluralize(months ?? 0, "month")} from the customer's first sale`,
  lifetime: () => "for all of the customer's sales",
} as const;

export function explainPolicy({ policy }: Explanation): string | undefined {
  if (policy === null || policy.type === "none") return undefined;
  const owner = policy.partnerId === null ? "Program policy" : "Custom policy for this partner";
  return `${owner} (version ${policy.version}), ${scopes[policy.scope](policy.durationMonths)}.`;
}
