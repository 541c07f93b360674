import type { AuditEntry, EventOf, ListedCommission, TrackedEvent } from "../../api/types.ts";
import {
  type Explanation,
  explainAmount,
  explainClick,
  explainPolicy,
  explainReason,
  formatDate,
} from "../../explanation.ts";
import { formatMoney } from "../../format.ts";
import { eventRefOf, formatEventRef } from "./event-ref.ts";

export type Commission = Omit<ListedCommission, "explanation"> & { readonly explanation: Explanation };
export type Decision = AuditEntry;

export interface Facts {
  readonly event: TrackedEvent;
  readonly commission: Commission | undefined;
  readonly click: EventOf<"click"> | undefined;
  readonly lead: EventOf<"lead"> | undefined;
  readonly sales: readonly EventOf<"sale">[];
  readonly refunds: readonly EventOf<"refund">[];
  readonly decisions: readonly Decision[];
  /** False if a search ended at its page limit, so that something may be missing. */
  readonly isComplete: boolean;
}

export interface Moment {
  readonly at: string;
  readonly title: string;
  readonly lines: readonly string[];
  /** The event to link to, if it is one. */
  readonly eventRef?: string;
}

type NameOf = (code: string) => string;

const lines = (...all: readonly (string | false | null | undefined)[]): string[] =>
  all.flatMap((line) => (line ? [line] : []));

function ofClick(click: EventOf<"click">, nameOf: NameOf): Moment {
  const device = lines(click.browser, click.os, click.device_type, click.country).join(", ");
  return {
    at: click.timestamp,
    title: click.partnerCode === null ? "Click" : `Click on ${nameOf(click.partnerCode)}'s link`,
    lines: lines(
      click.page_url && `Landed on ${click.page_url}`,
      click.referrer_url && `Came from ${click.referrer_url}`,
      device,
      click.is_bot && "Bot or link preview. It isn't counted.",
    ),
    eventRef: eventRefOf(click),
  };
}

const ofLead = (lead: EventOf<"lead">, nameOf: NameOf): Moment => ({
  at: lead.timestamp,
  title: "Sign-up",
  lines: lines(
    lead.customer_key && `Customer ${lead.customer_key}`,
    lead.provisional
      ? "Provisional: reported by a browser, but the program accepts sign-ups only from your server. It earns nothing."
      : lead.partnerCode === null
        ? "Not attributed."
        : `Attributed to ${nameOf(lead.partnerCode)}.`,
  ),
  eventRef: eventRefOf(lead),
});

const ofSale = (sale: EventOf<"sale">): Moment => ({
  at: sale.timestamp,
  title: `Sale of ${formatMoney(sale.amount_cents, sale.currency)}`,
  lines: lines(
    `Transaction ${sale.transaction_id}`,
    sale.customer_key && `Customer ${sale.customer_key}`,
    sale.reason !== null && explainReason(sale.reason),
  ),
  eventRef: eventRefOf(sale),
});

function refundTitle({ refunded_cents, currency }: EventOf<"refund">): string {
  if (refunded_cents === 0) return "Refund without effect";
  const money = formatMoney(Math.abs(refunded_cents), currency);
  return refunded_cents < 0 ? `Refund of ${money} canceled` : `Refund of ${money}`;
}

const ofRefund = (refund: EventOf<"refund">): Moment => ({
  at: refund.timestamp,
  title: refundTitle(refund),
  lines: lines(
    `Transaction ${refund.transaction_id}`,
    refund.refunded_cents === 0 &&
      "Nothing changed: the amount was already refunded, or the refund was canceled before it arrived.",
    refund.reason !== null && `Reason given: ${refund.reason}`,
  ),
  eventRef: eventRefOf(refund),
});

function ofDecision({ at, action, actorName, after }: Decision): Moment {
  const who = actorName ?? "a former user";
  const reason = after?.reason;
  return {
    at,
    title: action === "commission.approved" ? `Commission approved by ${who}` : `Commission rejected by ${who}`,
    lines: lines(typeof reason === "string" && `Reason given: ${reason}`),
  };
}

/** The sale as the commission recorded it, for when its own event wasn't found. */
const ofUnlistedSale = ({ saleId, explanation: { sale }, customerKey }: Commission): Moment => ({
  at: sale.occurredAt,
  title: `Sale of ${formatMoney(sale.amountCents, sale.currency)}`,
  lines: lines(`Transaction ${sale.transactionId}`, customerKey && `Customer ${customerKey}`),
  eventRef: formatEventRef({ kind: "sale", id: saleId, isTest: false, at: sale.occurredAt }),
});

function ofCommission({ explanation, currency, createdAt }: Commission): Moment {
  const isDue = explanation.decision === "earned";
  const isLater = explanation.decidedAt > createdAt;
  return {
    // Decided together with the sale, so it sorts after it.
    at: isLater ? explanation.decidedAt : explanation.sale.occurredAt,
    title: isDue ? `Commission of ${formatMoney(explanation.amountCents, currency)}` : "No commission",
    lines: lines(
      explainAmount(explanation),
      explainClick(explanation),
      explainPolicy(explanation),
      isLater && "Decided after the sale, because the sign-up with the click was reported later.",
    ),
  };
}

const rank = (title: string): number =>
  ["Click", "Sign-up", "Sale", "Commission", "No commission", "Refund"].findIndex((word) => title.startsWith(word));

/** In chronological order. */
export function momentsOf(
  { commission, click, lead, sales, refunds, decisions }: Facts,
  nameOf: NameOf = (code) => code,
): readonly Moment[] {
  const clicked = commission?.explanation.click;
  const moments = [
    ...(click
      ? [ofClick(click, nameOf)]
      : clicked
        ? [{ at: clicked.at, title: "Click", lines: ["Known only by its ID. Its record wasn't found."] }]
        : []),
    ...(lead ? [ofLead(lead, nameOf)] : []),
    ...(commission && sales.length === 0 ? [ofUnlistedSale(commission)] : sales.map(ofSale)),
    ...(commission ? [ofCommission(commission)] : []),
    ...refunds.map(ofRefund),
    ...decisions.map(ofDecision),
  ];
  return moments.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || rank(a.title) - rank(b.title));
}

/** `now` in milliseconds. */
export function describeStatus(
  commission: Commission,
  mayReadAudit: boolean,
  decisions: readonly Decision[],
  now: number,
): string {
  const { status, amountCents, currency, holdUntil, unconfirmed, explanation } = commission;
  const left = formatMoney(amountCents, currency);
  const earned = explanation.decision === "earned" ? explanation.amountCents : 0;
  const back = amountCents < earned ? `${formatMoney(earned - amountCents, currency)} was taken back by refunds. ` : "";
  switch (status) {
    case "void":
      return "No commission is due.";
    case "reversed":
      return `Reversed: refunds took back the full ${formatMoney(earned, currency)}.`;
    case "rejected":
      return mayReadAudit && decisions.length > 0
        ? "Rejected: no commission is due."
        : "Rejected: no commission is due. Admins can see who rejected it, and why, in the audit trail.";
    case "paid":
      return `${back}${left} was paid.`;
    case "pending":
      if (unconfirmed)
        return `${back}${left} is pending. Only the browser reported this click. The commission is released once your server reports the same customer, or when you approve it. Approving it confirms the customer and all of their unconfirmed commissions.`;
      return `${back}${left} is held until ${holdUntil === null ? "it is approved" : formatDate(holdUntil)}.`;
    case "approved":
      return `${back}${left} was approved${whyApproved(holdUntil, decisions, now)}.`;
  }
}

function whyApproved(holdUntil: string | null, decisions: readonly Decision[], now: number): string {
  if (decisions.some(({ action }) => action === "commission.approved")) return "";
  if (holdUntil === null || Date.parse(holdUntil) > now) return " before the hold ended";
  return ` after the hold ended on ${formatDate(holdUntil)}`;
}
