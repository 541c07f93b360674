import { isDeepStrictEqual } from "node:util";
import { isDirect } from "#domain/attribution.ts";
import { readStoredClickId } from "#domain/click-id.ts";
import type { Policy } from "#domain/commission.ts";
import { candidateFaults, isObject, type Json, type Links } from "./candidates.ts";
import type { RecordedCommission } from "./recorded-commission.ts";
import type { Outcome } from "./rules.ts";

interface ByPolicy {
  readonly policy: Policy | undefined;
  readonly outcome: Outcome | undefined;
}

export function explanationFaults(
  explanation: Json,
  record: RecordedCommission,
  { policy, outcome }: ByPolicy,
  links: Links,
): readonly string[] {
  const { commission, sale } = record;
  const isAttributed = commission.partner_id !== null;
  const expected: Json = {
    sale: {
      transactionId: sale.transaction_id,
      amountCents: sale.amount_cents,
      currency: sale.currency,
      occurredAt: sale.occurred_at,
    },
    partner: isAttributed ? { id: commission.partner_id, code: sale.partner_code } : null,
    clickAgeDays: sale.click_age_days,
    windowDays: sale.window_days,
    policy: policy === undefined ? null : termsIn(frozenTerms(policy)),
    ...(commission.status === "void"
      ? { decision: "void", reason: commission.reason, groups: undefined }
      : earnedFields(record, { policy, outcome })),
  };
  const explained: Json = { ...explanation, policy: termsIn(explanation.policy) };
  const unlike = Object.keys(expected).filter((field) => !isDeepStrictEqual(explained[field], expected[field]));
  return [
    ...unlike,
    ...evidenceFaults(explanation, record),
    ...decisionFaults(explanation, record),
    ...judgedFaults(explanation, record, links),
    ...movedFaults(explanation, record),
  ];
}

/**
 * A policy's terms as an explanation contains them. Rules and tiers are stored in the policy version, and another rule
 * of the audit compares the version's owner.
 */
const frozenTerms = ({ rules, tiers, groupId, ...terms }: Policy) => terms;

/** The policy's terms in an explanation. An old explanation has only the terms that policies had then. */
const termsIn = (policy: unknown) =>
  isObject(policy) ? Object.fromEntries(Object.entries(policy).filter(([, term]) => term !== null)) : policy;

function earnedFields({ commission, sale }: RecordedCommission, { policy, outcome }: ByPolicy): Json {
  const { uncappedCents, comesTo } = outcome ?? {};
  return {
    decision: "earned",
    baseCents: sale.amount_cents,
    rounding: "half_up",
    holdUntil: commission.hold_until,
    groups: policy?.rules ? outcome?.groups : undefined,
    uncappedCents,
    capped: typeof comesTo === "number" && uncappedCents !== undefined && comesTo < uncappedCents,
    amountCents: comesTo,
  };
}

function evidenceFaults(explanation: Json, record: RecordedCommission): readonly string[] {
  const { commission } = record;
  if (commission.partner_id === null) return unattributedFaults(explanation, record);
  if (isDirect(commission.source)) return directFaults(explanation, record);
  const { click, considered, evidence, bound } = explanation;
  return [
    ...frozenFaults(explanation, record).map((field) => `${field}, which the customer has otherwise`),
    ...(isObject(click) && isOfBook(click, commission) ? [] : ["click"]),
    ...(evidence === "key" || evidence === "browser" ? [] : ["evidence"]),
    ...(explanation.model === "last_click" || explanation.model === "first_click" ? [] : ["model"]),
    ...(isObject(bound) && (bound.by === "lead" || bound.by === "sale") ? [] : ["bound"]),
    ...(considered === null ? [] : ["considered"]),
    ...(explanation.direct === undefined ? [] : ["direct"]),
  ];
}

const ofClick = ["click", "evidence", "model", "windowUntil", "bound"];

/**
 * Finds faults in the explanation of a customer whom a coupon, an import or a person attributed to the partner from an
 * instant on. The customer may have changed partners since.
 */
function directFaults(explanation: Json, record: RecordedCommission): readonly string[] {
  const { commission, sale, customer } = record;
  const { direct, considered } = explanation;
  const { source, since } = isObject(direct) ? direct : {};
  const isCustomers = customer.partner_id === commission.partner_id && customer.source === commission.source;
  return [
    ...ofClick.filter((field) => explanation[field] !== null),
    ...(source === commission.source ? [] : ["direct.source"]),
    ...(typeof since === "number" && since <= sale.occurred_at ? [] : ["direct.since"]),
    ...(isCustomers && !isSince(since, record) ? ["direct.since, which the customer has otherwise"] : []),
    ...(considered === null ? [] : ["considered"]),
  ];
}

/**
 * True if the explanation's `since` may be right. It can differ from the customer's if an earlier sale's coupon was
 * reported later, or if the sale attributed the customer before it was corrected. A sale that a correction replaced
 * keeps the coupon that decided it.
 */
const isSince = (since: unknown, { customer, sale, is_moving, is_replaced }: RecordedCommission): boolean =>
  since === customer.since ||
  is_moving === 1 ||
  is_replaced === 1 ||
  (customer.source === "coupon" &&
    (Number(since) > Number(customer.since) || sale.occurred_at < Number(customer.since)));

function unattributedFaults(explanation: Json, { commission }: RecordedCommission): readonly string[] {
  const { considered } = explanation;
  const unlike = ofClick.filter((field) => explanation[field] !== null);
  const isOwn =
    considered === null ||
    (isObject(considered) && isObject(considered.click) && isOfBook(considered.click, commission));
  return isOwn ? unlike : [...unlike, "considered"];
}

/**
 * Finds differences between the explanation's evidence and the customer's. They are faults only while the same click
 * and evidence attribute the customer. After a correction removes the sale that made the attribution final, a call may
 * send the click for an earlier event.
 */
function frozenFaults(explanation: Json, record: RecordedCommission): readonly string[] {
  const { commission, customer } = record;
  const { click, evidence } = explanation;
  const isBinding = evidence === customer.evidence && isObject(click) && click.id === customer.click_id;
  const isFrozen = isBinding && customer.partner_id === commission.partner_id && record.is_replaced === 0;
  const frozen: Json = isFrozen
    ? {
        model: customer.model,
        windowDays: customer.window_days,
        windowUntil: customer.window_until,
        bound: { by: customer.bound_by, at: customer.bound_at },
      }
    : {};
  return Object.keys(frozen).filter((field) => !isDeepStrictEqual(explanation[field], frozen[field]));
}

function isOfBook({ id, at }: Json, { program_id, is_test }: RecordedCommission["commission"]): boolean {
  const token = readStoredClickId(String(id));
  return token?.programId === program_id && token.isTest === (is_test === 1) && token.at === at;
}

function decisionFaults({ decidedAt }: Json, { commission }: RecordedCommission): readonly string[] {
  if (typeof decidedAt !== "number") return ["decidedAt"];
  const { approved_by, approved_at, hold_until } = commission;
  if (approved_by !== "hold" || approved_at === null || hold_until === null) return [];
  return approved_at < decidedAt ? ["decidedAt, which is after its approval"] : [];
}

/**
 * True if no click was compared, because there is no deciding click or the sale was before the customer's attribution.
 * If such a sale is corrected, it keeps the click that had credited it.
 */
const isWithoutClicks = (explanation: Json, record: RecordedCommission): boolean => {
  const { commission, sale, customer } = record;
  const isBefore = isDirect(customer.source) && sale.occurred_at < (customer.since ?? 0);
  const wasBefore = record.is_before_coupon === 1 && isDeepStrictEqual(explanation.candidates, []);
  const keepsClick = isBefore && sale.correction !== null;
  return isDirect(commission.source) || keepsClick || (commission.partner_id === null && (isBefore || wasBefore));
};

function judgedFaults(explanation: Json, record: RecordedCommission, links: Links): readonly string[] {
  if (explanation.candidates === undefined) return [];
  const { commission, sale } = record;
  const event = {
    programId: commission.program_id,
    isTest: commission.is_test === 1,
    occurredAt: sale.occurred_at,
    deciding: decidingClick(explanation, record),
    sentClickId: isWithoutClicks(explanation, record) ? null : sale.sent_click_id,
    mayKeepEarlierClick: explanation.evidence === "browser",
    mayConsiderOthers: commission.reason === "existing_customer" && sale.coupons !== null,
  };
  return candidateFaults(explanation, event, links);
}

const outcomeOfReason: Readonly<Record<string, string>> = {
  existing_customer: "after_the_event",
  attribution_window_expired: "outside_window",
};

/**
 * The candidate that the decision was based on, according to the rest of the explanation. Undefined if there is none.
 */
function decidingClick({ click, considered }: Json, { commission, sale }: RecordedCommission): Json | undefined {
  if (isDirect(commission.source)) return undefined;
  const age = { ageDays: sale.click_age_days, windowDays: sale.window_days };
  if (commission.partner_id !== null) {
    const { id: clickId, at } = isObject(click) ? click : {};
    return { clickId, at, partnerCode: sale.partner_code, outcome: "chosen", ...age };
  }
  const outcome = outcomeOfReason[commission.reason ?? ""];
  if (!isObject(considered) || !isObject(considered.click) || outcome === undefined) return undefined;
  const { click: taken, partner } = considered;
  const partnerCode = isObject(partner) ? partner.code : null;
  return { clickId: taken.id, at: taken.at, partnerCode, outcome, ...age };
}

/**
 * Finds faults in the explanation of a commission that moved from another partner. That partner must have an entry that
 * subtracts the whole remaining amount.
 */
function movedFaults({ movedFrom }: Json, { moved }: RecordedCommission): readonly string[] {
  if (movedFrom === undefined) return moved.cents === null ? [] : ["movedFrom"];
  if (!isObject(movedFrom)) return ["movedFrom"];
  return [
    ...(movedFrom.amountCents === -(moved.cents ?? 0) ? [] : ["movedFrom.amountCents"]),
    ...(moved.code !== null && movedFrom.partnerCode === moved.code ? [] : ["movedFrom.partnerCode"]),
  ];
}

/**
 * True if the sale's call sent a click that decided it, but the explanation lacks the click. A sale that moved with its
 * customer later is based only on the customer's click, or on none.
 */
export const lacksCandidates = (explanation: Json, { commission, sale }: RecordedCommission): boolean =>
  explanation.candidates === undefined &&
  sale.sent_click_id !== null &&
  explanation.movedFrom === undefined &&
  (commission.partner_id === null || explanation.decidedAt === commission.created_at);
