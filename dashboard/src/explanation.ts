import type { Policy, VoidReason } from "../../src/domain/commission.ts";
import { formatMoney } from "./format.ts";

/** What a commission froze when it was decided, as the service shows it. */
export type Explanation = {
  readonly decidedAt: string;
  readonly sale: {
    readonly transactionId: string;
    readonly amountCents: number;
    readonly currency: string;
    readonly occurredAt: string;
  };
  readonly click: { readonly id: string; readonly at: string } | null;
  /** Whole days from the click to the sign-up or sale that bound the customer; where the window had passed, to what it was held against. */
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

/** A commission's `explanation` on the wire, which is typed as any JSON there. */
export const readExplanation = (frozen: Readonly<Record<string, unknown>>): Explanation => frozen as Explanation;

const percents = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

export const formatDate = (instant: string): string => dates.format(new Date(instant));

const days = (count: number) => (count === 1 ? "1 day" : `${count} days`);

/** Why a sale has no partner, or why nothing is due for it: in a few words. */
export const reasonWords: Readonly<Record<string, string>> = {
  customer_not_found: "Unknown customer",
  no_click: "No click",
  invalid_click_id: "Invalid click id",
  existing_customer: "Bought before the click",
  attribution_window_expired: "Window had passed",
  no_commission_policy: "No commission in force",
  partner_inactive: "Partner was paused",
  program_inactive: "Program was paused",
  commission_duration_over: "Commission's months over",
  recurring_not_covered: "Not the first sale",
  currency_mismatch: "Other currency",
  below_minimum: "Below the minimum",
  one_time_used: "Another sale earned it",
} satisfies Record<VoidReason | "one_time_used", string>;

type OfCommission = Pick<Explanation, "sale" | "policy" | "clickAgeDays" | "windowDays">;

/** The same in a sentence, with the figures that it rests on where the commission is known. */
export function explainReason(reason: string, known?: OfCommission): string {
  const policy = known?.policy;
  switch (reason) {
    case "customer_not_found":
      return "Nobody knew this customer: no sign-up had named them before, and no click came along.";
    case "no_click":
      return "The customer is known, but not by any partner's click.";
    case "invalid_click_id":
      return "The click id that came along is not one of this program's: cut off, made up, or another program's.";
    case "existing_customer":
      return "The customer had bought before they clicked on a partner's link.";
    case "attribution_window_expired":
      return known?.clickAgeDays == null || known.windowDays === null
        ? "The click was older than the attribution window."
        : `The click was ${days(known.clickAgeDays)} old, and the window is ${days(known.windowDays)}.`;
    case "no_commission_policy":
      return "No commission was in force for this partner.";
    case "partner_inactive":
      return "The partner was paused.";
    case "program_inactive":
      return "The program was paused.";
    case "commission_duration_over":
      return policy?.durationMonths == null
        ? "The time for which the policy pays was over."
        : `The policy pays for ${policy.durationMonths} months from the customer's first sale, and these were over.`;
    case "recurring_not_covered":
      return "The policy pays for a customer's first sale alone, and this was a later one.";
    case "one_time_used":
      return "The policy pays one commission per customer, and another sale of this customer has earned it.";
    case "currency_mismatch":
      return policy?.currency == null || known === undefined
        ? "The policy's amounts are in another currency than the sale, and nothing is converted."
        : `The policy's amounts are in ${policy.currency}, the sale is in ${known.sale.currency}, and nothing is converted.`;
    case "below_minimum":
      return policy?.minSaleCents == null || known === undefined
        ? "The sale is smaller than the policy pays for."
        : `The policy pays for sales from ${formatMoney(policy.minSaleCents, known.sale.currency)} on.`;
    default:
      return `The service gives the reason "${reason}".`;
  }
}

/** Why a commission is what it was decided to be. */
export function explainAmount(explanation: Explanation): string {
  if (explanation.decision === "void") return explainReason(explanation.reason, explanation);
  const { policy, sale, amountCents, uncappedCents, capped } = explanation;
  const money = (cents: number) => formatMoney(cents, sale.currency);
  const before =
    policy?.type === "percent"
      ? `${percents.format((policy.rateBps ?? 0) / 100)} % of ${money(sale.amountCents)} = ${money(uncappedCents)}, half up`
      : `${money(uncappedCents)} for each sale, whatever its amount`;
  return capped ? `${before}; at most ${money(amountCents)} for a sale.` : `${before}.`;
}

/** Which click it is owed to, and why that one. */
export function explainClick({ click, clickAgeDays, windowDays, model, evidence }: Explanation): string | undefined {
  if (click === null || clickAgeDays === null || windowDays === null) return undefined;
  const age = clickAgeDays === 0 ? "less than a day" : days(clickAgeDays);
  const chosen = model === "first_click" ? "First click" : "Last click";
  const reported = evidence === "browser" ? "Reported by the browser" : "Reported by your server";
  return `${chosen}, ${age} old (${windowDays}-day window). ${reported}.`;
}

const scopes = {
  one_time: () => "for a customer's first sale",
  recurring: (months: number | null) => `for ${months} months of a customer's sales`,
  lifetime: () => "for all of a customer's sales",
} as const;

/** Which policy decided it. */
export function explainPolicy({ policy }: Explanation): string | undefined {
  if (policy === null || policy.type === "none") return undefined;
  const owner = policy.partnerId === null ? "the program's" : "the partner's own";
  return `Policy version ${policy.version}, ${owner}, ${scopes[policy.scope](policy.durationMonths)}.`;
}
