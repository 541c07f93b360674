import { type AttributionSource, isDirect, isFinalAtOnce, type JudgedClick } from "../attribution.ts";
import type { ShownStatus } from "../commission-status.ts";
import type { JudgedCoupon } from "../coupons.ts";
import type { Evidence } from "../evidence.ts";
import type { Group } from "../policy-in-force.ts";
import type { ActiveStatus } from "../program-status.ts";
import type { AttributionModel, WindowUntil } from "../program-terms.ts";
import { type CalculationStep, calculationOf } from "./calculation.ts";
import { type ExplainedEntry, entriesOf } from "./entries.ts";
import type { CustomerFacts, DecisionFacts, ExplainFacts, LeadFacts, SaleName, StorySale, Subject } from "./facts.ts";
import { candidatesOfSale, type FrozenCommission, readFrozenCommission, readFrozenLead } from "./frozen.ts";
import { type Audience, isMissingCode, missingFor, reasonFactsOf, type Shortfall } from "./missing.ts";
import { judgedOfClick, reasonCodeOf, type Verdict, verdictOf } from "./verdict.ts";

/** Settings that a decision used. Null if unknown, or if the decision didn't use the setting. */
export interface DecidedSettings {
  readonly model: AttributionModel | null;
  readonly windowDays: number | null;
  readonly windowUntil: WindowUntil | null;
  readonly policyVersion: number | null;
  /** The group that owns the policy. Null if it isn't a group's policy. */
  readonly policyGroup: Group | null;
  readonly partnerStatus: ActiveStatus | null;
}

export interface ExplainedCustomer {
  readonly customerKey: string | null;
  readonly knownSince: number;
  readonly source: AttributionSource | null;
  readonly since: number | null;
  readonly evidence: Evidence | null;
  readonly lockedSince: number | null;
}

export interface ExplainedCommission {
  readonly id: number;
  readonly status: ShownStatus;
  readonly partnerCode: string | null;
  readonly source: AttributionSource | null;
  readonly sub: string | null;
  readonly policyVersion: number | null;
  readonly holdUntil: number | null;
  readonly decision: DecisionFacts | null;
  readonly calculation: readonly CalculationStep[];
  readonly entries: readonly ExplainedEntry[];
  readonly moreEntries: number;
}

/** The facts that decided whether the sale was classified as a renewal. */
export interface ExplainedRenewal {
  readonly earlierSale: SaleName | null;
  readonly imported: boolean;
}

export interface Explanation {
  readonly subject: Subject;
  readonly verdict: Verdict;
  /** True if the facts about the customer were erased. */
  readonly erased: boolean;
  readonly customer: ExplainedCustomer | null;
  readonly candidates: readonly JudgedClick[];
  readonly earlierClicks: number;
  /** The coupons in the order in which they were sent. */
  readonly coupons: readonly JudgedCoupon[];
  readonly commission: ExplainedCommission | null;
  /** `corrects` is the previous version of a corrected sale, `correctedBy` the next version. */
  readonly corrects: SaleName | null;
  readonly correctedBy: SaleName | null;
  readonly renewal: ExplainedRenewal | null;
  readonly missing: readonly Shortfall[];
  readonly settingsThen: DecidedSettings | null;
  /** Settings that have changed since the decision, with their current values. Null if none has. */
  readonly settingsNow: Partial<DecidedSettings> | null;
}

/**
 * Explains a result from the values that were stored with each decision. Current settings are only shown in addition.
 */
export function explain(facts: ExplainFacts, at: number, audience: Audience): Explanation {
  const { subject, customer, sale, earlierClicks } = facts;
  const verdict = verdictOf(facts, at);
  const settingsThen = settingsThenOf(facts);
  return {
    subject,
    verdict,
    erased: customer?.isErased ?? false,
    customer: customer === undefined ? null : explainedCustomer(customer),
    candidates: candidatesOf(facts),
    earlierClicks,
    coupons: sale === undefined || !isAboutSale(facts) ? [] : couponsOf(sale),
    commission: sale === undefined ? null : explainedCommission(facts, sale),
    corrects: sale?.corrects ?? null,
    correctedBy: sale?.correctedBy ?? null,
    renewal: sale === undefined ? null : explainedRenewal(sale),
    missing: missingOf(facts, verdict, audience),
    settingsThen,
    settingsNow: settingsThen === null ? null : settingsNowOf(facts, settingsThen),
  };
}

function explainedCustomer(customer: CustomerFacts): ExplainedCustomer {
  const { customerKey, createdAt: knownSince, source, since, evidence, confirmedAt } = customer;
  const first = isFinalAtOnce(source) ? confirmedAt : customer.firstAttributedSaleAt;
  const lockedSince = confirmedAt === null || first === null ? null : Math.max(confirmedAt, first);
  return { customerKey, knownSince, source, since, evidence, lockedSince };
}

function explainedCommission(facts: ExplainFacts, sale: StorySale): ExplainedCommission {
  const { entries, decision } = facts;
  const { id, status, source, sub, holdUntil, explanation, entryCount } = sale.commission;
  const frozen = readFrozenCommission(explanation);
  return {
    id,
    status,
    partnerCode: sale.partnerCode,
    source,
    sub,
    policyVersion: frozen.policy?.version ?? null,
    holdUntil,
    decision: decision ?? null,
    calculation: calculationOf(sale, frozen, facts),
    entries: entriesOf(sale, frozen, entries, decision),
    moreEntries: entryCount - entries.length,
  };
}

function explainedRenewal({ commission, renews }: StorySale): ExplainedRenewal | null {
  const { renewal } = readFrozenCommission(commission.explanation);
  return renewal === undefined ? null : { earlierSale: renews, imported: renewal.isImported };
}

const isAboutSale = ({ subject: { type } }: ExplainFacts): boolean =>
  type === "sale" || type === "commission" || type === "refund";

const couponsOf = ({ commission }: StorySale): readonly JudgedCoupon[] =>
  readFrozenCommission(commission.explanation).coupons ?? [];

function candidatesOf(facts: ExplainFacts): readonly JudgedClick[] {
  const { sale, lead, customer, click, subject } = facts;
  if (subject.type === "customer" && customer !== undefined && isDirect(customer.source)) return [];
  const ofLead = judgedOfLead(lead, customer);
  if (subject.type === "click") {
    const judged = ofLead.find(({ clickId }) => clickId === click?.clickId) ?? judgedOfClick(facts);
    return judged === undefined ? [] : [judged];
  }
  if (sale === undefined || !isAboutSale(facts)) return ofLead;
  const frozen = readFrozenCommission(sale.commission.explanation);
  return candidatesOfSale(frozen, frozen.candidates ?? sameDecision(frozen, sale, lead, ofLead));
}

/**
 * The clicks judged for the lead, if the lead's decision also decided the sale. Used if the sale was sent without click
 * ids.
 */
function sameDecision(
  { click }: FrozenCommission,
  sale: StorySale,
  lead: LeadFacts | undefined,
  ofLead: readonly JudgedClick[],
): readonly JudgedClick[] {
  const isSame =
    click === null ? sale.reason !== null && reasonCodeOf(sale, lead) === lead?.reason : click.id === lead?.clickId;
  return isSame ? ofLead : [];
}

function judgedOfLead(lead: LeadFacts | undefined, customer: CustomerFacts | undefined): readonly JudgedClick[] {
  const judged = lead && readFrozenLead(lead.explanation).candidates;
  const clickId = lead?.partnerCode != null ? lead.clickId : lead === undefined ? (customer?.clickId ?? null) : null;
  const chosen = judged?.find(({ outcome }) => outcome === "chosen");
  if (clickId === null) return judged ?? [];
  if (judged !== undefined && chosen?.clickId === clickId) return judged;
  const partnerCode = lead?.partnerCode ?? customer?.partnerCode ?? null;
  const at = customer?.clickId === clickId ? customer.clickAt : null;
  return [{ clickId, at, partnerCode, outcome: "chosen" }];
}

function missingOf(facts: ExplainFacts, { attributed, reason }: Verdict, audience: Audience): readonly Shortfall[] {
  const { sale, lead } = facts;
  // A corrected sale never earns again. The explanation of its replacement states what is missing.
  if (isAboutSale(facts) && sale?.correctedBy != null) return [];
  const ofSale = sale === undefined ? undefined : reasonCodeOf(sale, lead);
  const isOfSale = isAboutSale(facts) || (attributed && ofSale !== undefined);
  const code = isOfSale ? ofSale : reason;
  const decided = isOfSale ? facts : { ...facts, sale: undefined };
  return isMissingCode(code) ? [missingFor(code, reasonFactsOf(decided), audience)] : [];
}

function settingsThenOf(facts: ExplainFacts): DecidedSettings | null {
  const { sale, lead, customer } = facts;
  if (sale !== undefined) return settingsOfSale(sale);
  const frozen = lead && readFrozenLead(lead.explanation);
  if (frozen === undefined && customer === undefined) return null;
  return {
    model: frozen?.model ?? customer?.model ?? null,
    windowDays: frozen?.windowDays ?? customer?.windowDays ?? null,
    windowUntil: frozen?.windowUntil ?? customer?.windowUntil ?? null,
    policyVersion: null,
    policyGroup: null,
    partnerStatus: null,
  };
}

function settingsOfSale({ commission: { explanation, reason }, partnerCode }: StorySale): DecidedSettings {
  const { model, windowDays, windowUntil, terms, policy, group } = readFrozenCommission(explanation);
  const isUnknown = partnerCode === null || reason === "program_inactive";
  return {
    model: model ?? terms?.model ?? null,
    windowDays: windowDays ?? terms?.windowDays ?? null,
    windowUntil: windowUntil ?? terms?.windowUntil ?? null,
    policyVersion: policy?.version ?? null,
    policyGroup: group ?? null,
    partnerStatus: isUnknown ? null : reason === "partner_inactive" ? "paused" : "active",
  };
}

function settingsNowOf({ sale, now }: ExplainFacts, then: DecidedSettings): Partial<DecidedSettings> | null {
  const hasPolicy = sale?.partnerCode != null;
  const changed = {
    ...(then.model !== null && then.model !== now.model && { model: now.model }),
    ...(then.windowDays !== null && then.windowDays !== now.windowDays && { windowDays: now.windowDays }),
    ...(then.windowUntil !== null && then.windowUntil !== now.windowUntil && { windowUntil: now.windowUntil }),
    ...(hasPolicy && then.policyVersion !== now.policyVersion && { policyVersion: now.policyVersion }),
    ...(hasPolicy && then.policyGroup?.id !== now.policyGroup?.id && { policyGroup: now.policyGroup }),
    ...(then.partnerStatus !== null &&
      then.partnerStatus !== now.partnerStatus && { partnerStatus: now.partnerStatus }),
  };
  return Object.keys(changed).length === 0 ? null : changed;
}
