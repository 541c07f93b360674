import {
  type AttributionSource,
  besidesDecided,
  type DirectSource,
  isDirect,
  type JudgedClick,
} from "../attribution.ts";
import type { ShownStatus } from "../commission-status.ts";
import { noUnits } from "../units.ts";
import { memberText, reasonText } from "./decision.ts";
import type { DecisionFacts, ExplainFacts, SalesSum, StorySale } from "./facts.ts";
import { readFrozenCommission, readFrozenLead } from "./frozen.ts";
import { isMissingCode, type MissingCode, reasonClause, reasonFactsOf } from "./missing.ts";
import { settledText } from "./settled-text.ts";
import { countText, dateText, moneyText, quoted } from "./text.ts";

/** The result of an explanation. `reason` is the code of what is missing, or the outcome of a click that was judged. */
export interface Verdict {
  readonly attributed: boolean;
  readonly partnerCode: string | null;
  /** The kind of evidence that attributed the partner. */
  readonly source: AttributionSource | null;
  /** Null if there are no sales, or commissions in several currencies or units. */
  readonly commissionCents: number | null;
  readonly currency: string | null;
  /** Null unless there is exactly one sale. */
  readonly status: ShownStatus | null;
  readonly reason: string | null;
  readonly message: string;
  readonly sales: number;
  readonly sums: readonly SalesSum[];
}

type Part = Pick<Verdict, "attributed" | "partnerCode" | "reason" | "message">;

export function verdictOf(facts: ExplainFacts, at: number): Verdict {
  const { sums, sale } = facts;
  const [sum, ...others] = sums.filter(({ hasCommissions }) => hasCommissions);
  const part = partOf(facts, at);
  const isOneCurrency = sum !== undefined && others.length === 0;
  return {
    ...part,
    source: part.attributed ? sourceOf(facts) : null,
    commissionCents: isOneCurrency ? sum.commissionCents : null,
    currency: isOneCurrency ? sum.currency : null,
    status: sale?.commission.status ?? null,
    sales: sums.reduce((all, { sales }) => all + sales, 0),
    sums,
  };
}

/**
 * The kind of evidence, as stored with the sale or the customer. It is `click` for a click, and for a lead with a
 * click.
 */
function sourceOf({ subject, sale, lead, customer }: ExplainFacts): AttributionSource | null {
  if (subject.type === "click" || (subject.type === "lead" && lead?.clickId != null)) return "click";
  const isOfCustomer = subject.type === "customer" || subject.type === "lead";
  return isOfCustomer ? (customer?.source ?? null) : (sale?.commission.source ?? null);
}

function partOf(facts: ExplainFacts, at: number): Part {
  switch (facts.subject.type) {
    case "sale":
    case "commission":
    case "refund":
      return facts.sale === undefined ? nothing : ofSale(facts, facts.sale, at);
    case "lead":
    case "customer":
      return ofCustomer(facts);
    case "click":
      return ofClick(facts);
  }
}

const nothing: Part = { attributed: false, partnerCode: null, reason: null, message: "There is no sale." };

function ofSale(facts: ExplainFacts, sale: StorySale, at: number): Part {
  const { partnerCode, commission } = sale;
  const reason = sale.reason ?? commission.reason;
  const message =
    facts.subject.type === "refund"
      ? refundMessage(facts, sale, String(facts.subject.id))
      : saleMessage(facts, sale, at);
  return { attributed: partnerCode !== null, partnerCode, reason, message };
}

function saleMessage(facts: ExplainFacts, sale: StorySale, at: number): string {
  const { decision, timezone, units } = facts;
  const { commission, partnerCode } = sale;
  const { amountCents, currency, status } = commission;
  const reason = reasonCodeOf(sale, facts.lead);
  const because = reason === undefined ? "" : `: ${reasonClause(reason, reasonFactsOf(facts))}`;
  if (partnerCode === null) return `No partner earned a commission on this sale${because}.`;
  const partner = `artner ${partnerCode}`;
  const earned = `P${partner} earned ${moneyText(amountCents, currency, units)} on this sale`;
  const withoutAny = `P${partner} earned nothing on this sale`;
  const settled = settledText(facts, sale);
  if (sale.correctedBy !== null && status !== "void") {
    const next = quoted(sale.correctedBy.transactionId);
    return `${withoutAny}, because it was corrected: sale ${next} counts instead${settled}.`;
  }
  switch (status) {
    case "void":
      return `This sale belongs to p${partner} but earned no commission${because}.`;
    case "rejected":
      return `The commission of p${partner} on this sale was rejected${decidedText(decision, timezone)}${reasonText(decision)}.`;
    case "reversed":
      return `${withoutAny}${because === "" ? ", because all of it was refunded" : because}.`;
    case "pending":
      return `${earned}${pendingText(facts, commission, at)}.`;
    case "approved":
    case "paid":
      if (settled === "") return `${earned}; ${paymentText(facts, status)}.`;
      return `${amountCents === 0 ? withoutAny : earned}${refundedText(sale)}${settled}.`;
  }
}

function refundedText({ refundedCents, amountCents, commission }: StorySale): string {
  if (refundedCents === 0) return "";
  if (commission.amountCents > 0) return ", part of which was refunded";
  return `, because ${refundedCents < amountCents ? "part" : "all"} of it was refunded`;
}

function paymentText({ decision, timezone, entries }: ExplainFacts, status: "approved" | "paid"): string {
  const payout = entries.find(({ payoutReference }) => payoutReference !== null)?.payoutReference;
  if (status === "paid") return `it was paid out${payout === undefined ? "" : ` with payout ${payout}`}`;
  const where = payout === undefined ? "can be paid out" : `is in payout ${payout}`;
  return `it was approved${decidedText(decision, timezone)} and ${where}`;
}

function pendingText(
  facts: ExplainFacts,
  { held, isUnconfirmed, holdUntil }: StorySale["commission"],
  at: number,
): string {
  if (held) return `, but it stays on hold, because ${reasonClause("under_review", reasonFactsOf(facts))}`;
  if (isUnconfirmed) return `, but it waits for confirmation, because ${reasonClause("unconfirmed", {})}`;
  return holdUntil === null || holdUntil <= at
    ? "; it is about to be approved"
    : `; it can be paid out from ${dateText(holdUntil, facts.timezone)}`;
}

const decidedText = (decision: DecisionFacts | undefined, timezone: string): string =>
  decision === undefined ? "" : ` by ${memberText(decision)} on ${dateText(decision.at, timezone)}`;

/**
 * The reason why a sale has no commission, or none yet. `one_time_used`: another sale has used the only commission that
 * a policy with scope `one_time` pays for a customer, so nothing is left of this sale's commission.
 */
export function reasonCodeOf({ reason, commission }: StorySale, lead: ExplainFacts["lead"]): MissingCode | undefined {
  const code = reason ?? commission.reason;
  const { status, initialCents, explanation } = commission;
  const frozen = readFrozenCommission(explanation);
  // A sale without click ids has the reason `no_click`. If its lead had an invalid click id, that reason is more
  // useful.
  if (code === "no_click" && frozen.candidates === undefined && lead?.reason === "invalid_click_id") return lead.reason;
  if (isMissingCode(code)) return code;
  const hasEarned = frozen.decision === "earned" && frozen.amountCents > 0;
  if (status === "reversed" && initialCents === 0 && hasEarned) return "one_time_used";
  if (status !== "pending") return undefined;
  return commission.held ? "under_review" : commission.isUnconfirmed ? "unconfirmed" : undefined;
}

function refundMessage(facts: ExplainFacts, sale: StorySale, refundId: string): string {
  const { refund, units } = facts;
  const { partnerCode, commission, currency } = sale;
  const { refundedCents = 0, commissionReversedCents: reversedCents = 0, isCanceled = false } = refund ?? {};
  const refunded = moneyText(refundedCents, currency, noUnits);
  const left = moneyText(commission.amountCents, commission.currency, units);
  if (isCanceled && refundedCents === 0) {
    const now = partnerCode === null ? "" : ` The commission of partner ${partnerCode} on this sale is ${left}.`;
    return `Refund ${quoted(refundId)} was canceled and takes nothing from this sale.${now}`;
  }
  const about = `Refund ${quoted(refundId)} returned ${refunded} of this sale`;
  if (partnerCode === null || commission.status === "void") return `${about}, which has no commission.`;
  const taken = moneyText(reversedCents, refund?.commissionCurrency ?? commission.currency, units);
  return `${about} and took ${taken} from the commission of partner ${partnerCode}, which is now ${left}${settledText(facts, sale)}.`;
}

function ofCustomer(facts: ExplainFacts): Part {
  const { customer, lead, subject } = facts;
  const isLead = subject.type === "lead";
  const known = isLead ? (lead ?? customer) : (customer ?? lead);
  const partnerCode = known?.partnerCode ?? null;
  const provisional = lead?.isProvisional === true && (isLead || customer === undefined) ? "provisional" : null;
  const reason = known?.reason ?? provisional;
  const who = isLead ? "This lead" : `Customer ${quoted(String(subject.id))}`;
  if (partnerCode !== null) {
    return {
      attributed: true,
      partnerCode,
      reason,
      message: `${who} belongs to partner ${partnerCode}${sourceText(facts)}${salesText(facts)}.`,
    };
  }
  const why = isMissingCode(reason)
    ? `: ${reasonClause(reason, reasonFactsOf({ ...facts, lead, sale: undefined }))}`
    : "";
  return { attributed: false, partnerCode: null, reason, message: `${who} belongs to no partner${why}.` };
}

const sources: Readonly<Record<DirectSource, string>> = {
  coupon: "by a coupon",
  import: "by an import",
  person: "by a member's assignment",
};

function sourceText({ subject, lead, customer, timezone }: ExplainFacts): string {
  if (subject.type === "lead" && lead?.clickId != null) return "";
  if (customer?.since == null || !isDirect(customer.source)) return "";
  return `, ${sources[customer.source]}, from ${dateText(customer.since, timezone)} on`;
}

function salesText({ sums, subject, units }: ExplainFacts): string {
  const sales = sums.reduce((all, sum) => all + sum.sales, 0);
  if (sales === 0) return "; no sale has been reported yet";
  const earned = sums
    .filter(({ hasCommissions }) => hasCommissions)
    .map(({ commissionCents, currency }) => moneyText(commissionCents, currency, units))
    .join(" and ");
  const led = subject.type === "click" ? " and led to " : "; ";
  return `${led}${countText(sales, "sale")}, with a commission of ${earned}${sales === 1 ? "" : " in all"}`;
}

/** Reasons why a click wasn't chosen, by its outcome. */
const lostText: Readonly<Record<string, string>> = {
  older: "the customer belongs to a newer click, or already had one when this click was sent",
  newer: "the customer belongs to an older click, or was already attributed when this click was sent",
  outside_window: "it was older than the attribution window",
  after_the_event: "it happened, or was first sent, after the sign-up or sale that decided",
  other_link_paused: "the customer belongs to another click, and the link of this one was paused",
  unconfirmed: "only a browser reported it",
  invalid: "its id wasn't valid for the call that sent it",
};

/**
 * The stored verdict on the click. A click that was sent after the decision is compared with the customer's click
 * instead.
 */
export function judgedOfClick({ click, lead, customer, now }: ExplainFacts): JudgedClick | undefined {
  const judged = lead && readFrozenLead(lead.explanation).candidates.find(({ clickId }) => clickId === click?.clickId);
  if (judged !== undefined || click === undefined || customer?.clickAt == null) return judged;
  const { clickId, at, partnerCode } = click;
  return clickId === customer.clickId
    ? undefined
    : { clickId, at, partnerCode, outcome: besidesDecided(at, customer.clickAt, customer.model ?? now.model) };
}

function ofClick(facts: ExplainFacts): Part {
  const { click, lead, customer, sums, sale } = facts;
  const partnerCode = click?.partnerCode ?? null;
  const clickId = click?.clickId;
  const isLeads = lead?.clickId === clickId && lead?.partnerCode != null;
  const attributed = isLeads || customer?.clickId === clickId || sums.some((sum) => sum.attributedSales > 0);
  const who = partnerCode === null ? "This click" : `This click of partner ${partnerCode}`;
  if (attributed) {
    return { attributed, partnerCode, reason: null, message: `${who} brought a customer${salesText(facts)}.` };
  }
  const reason =
    judgedOfClick(facts)?.outcome ?? lead?.reason ?? sale?.reason ?? ((lead ?? customer ?? sale) ? null : "not_shown");
  const why =
    reason === null ? undefined : (lostText[reason] ?? (isMissingCode(reason) ? reasonClause(reason, {}) : undefined));
  return { attributed, partnerCode, reason, message: `${who} earned nothing${why === undefined ? "" : `: ${why}`}.` };
}
